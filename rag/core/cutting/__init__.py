"""What chunks are cut from: the outline of each syntax, its blocks, and where they may break."""
