# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# lanes: Do interleaved games learn as well as one at a time?
tdl run experiment=lanes hydra.sweep.dir=outputs/lanes
python -m experiments.tools.collect parallel/lanes outputs/lanes

# threads: Threads and lanes against learning quality
tdl run experiment=threads hydra.sweep.dir=outputs/threads
python -m experiments.tools.collect parallel/threads outputs/threads
