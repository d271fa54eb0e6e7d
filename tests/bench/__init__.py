"""Speed and memory of a whole gateway on this machine: `python -m tests.bench`, or `make bench`.

A scripted model server and a real gateway with a home of its own are started; every figure is
printed with its goal. Nothing here is asserted: figures depend on the machine and its other work.
"""
