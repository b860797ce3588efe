"""The files of a batch: questions in, results out, as JSON Lines or as tables."""
