// Checks the signature of a Quayside webhook.
//
//   QUAY_WEBHOOK_SECRET=... npx tsx verify.ts body.json "t=1757912400,v1=5f2c..."
//
// The header X-Quay-Signature holds a Unix time and an HMAC-SHA256 over "<time>.<body>".

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

/** Older deliveries are refused, so that a recorded one cannot be sent again. */
export const MAX_AGE_SECONDS = 300;

export interface Signature {
  time: number;
  digest: string;
}

export type Verdict =
  | { ok: true }
  | { ok: false; reason: "malformed" | "too_old" | "mismatch" };

export function parseSignature(header: string): Signature | null {
  const parts = new Map(
    header.split(",").map((part) => {
      const [key, value] = part.trim().split("=", 2);
      return [key, value ?? ""] as const;
    }),
  );
  const time = Number(parts.get("t"));
  const digest = parts.get("v1") ?? "";
  return Number.isInteger(time) && /^[0-9a-f]{64}$/.test(digest) ? { time, digest } : null;
}

export function verifyWebhook(
  body: string,
  header: string,
  secret: string,
  nowSeconds: number,
): Verdict {
  const signature = parseSignature(header);
  if (signature === null) return { ok: false, reason: "malformed" };
  if (nowSeconds - signature.time > MAX_AGE_SECONDS) return { ok: false, reason: "too_old" };
  const expected = createHmac("sha256", secret).update(`${signature.time}.${body}`).digest();
  const given = Buffer.from(signature.digest, "hex");
  return timingSafeEqual(expected, given) ? { ok: true } : { ok: false, reason: "mismatch" };
}

function main(): number {
  const [path, header] = process.argv.slice(2);
  const secret = process.env.QUAY_WEBHOOK_SECRET;
  if (!path || !header || !secret) {
    console.error("usage: QUAY_WEBHOOK_SECRET=... verify.ts BODY_FILE SIGNATURE_HEADER");
    return 2;
  }
  const now = Math.floor(Date.now() / 1000);
  const verdict = verifyWebhook(readFileSync(path, "utf-8"), header, secret, now);
  console.log(verdict.ok ? "valid" : `invalid: ${verdict.reason}`);
  return verdict.ok ? 0 : 1;
}

process.exit(main());
