#!/usr/bin/env bash
# Takes one worker node out of service: cordon, move the pods, wait until it is empty.
#
#   ./drain-node.sh NODE [--force]
#
# Exit codes: 0 drained, 1 failed, 2 usage, 3 refused because another node is being drained.
set -euo pipefail

readonly WAIT_SECONDS=600
readonly GRACE_SECONDS=120
readonly MIN_READY_NODES=4

usage() {
  echo "usage: $0 NODE [--force]" >&2
  exit 2
}

ready_nodes() {
  kubectl get nodes --no-headers | awk '$2 == "Ready"' | wc -l
}

draining_nodes() {
  kubectl get nodes --no-headers | awk '$2 ~ /SchedulingDisabled/' | wc -l
}

pods_left() {
  kubectl get pods --all-namespaces --field-selector "spec.nodeName=$1" --no-headers 2>/dev/null \
    | grep -vc -E 'kube-proxy|node-exporter|log-agent' || true
}

main() {
  [[ $# -ge 1 ]] || usage
  local node=$1 force=${2:-}

  if [[ $(draining_nodes) -gt 0 && $force != --force ]]; then
    echo "refused: another node is being drained (use --force)" >&2
    exit 3
  fi
  if [[ $(ready_nodes) -le $MIN_READY_NODES ]]; then
    echo "refused: only $(ready_nodes) nodes are ready, more than $MIN_READY_NODES needed" >&2
    exit 3
  fi

  kubectl cordon "$node"
  kubectl drain "$node" --ignore-daemonsets --delete-emptydir-data \
    --grace-period="$GRACE_SECONDS" --timeout="${WAIT_SECONDS}s"

  local deadline=$((SECONDS + WAIT_SECONDS))
  while [[ $(pods_left "$node") -gt 0 ]]; do
    if ((SECONDS > deadline)); then
      echo "failed: pods are still on $node after $WAIT_SECONDS s" >&2
      exit 1
    fi
    sleep 5
  done
  echo "$node is empty; undo with: kubectl uncordon $node"
}

main "$@"
