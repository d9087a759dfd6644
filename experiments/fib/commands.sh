# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# fib: 2584 on 4x4 after 100,000 games
tdl run experiment=fib tiles=p90_10 seed='range(0,3)' save.final=false hydra.sweep.dir=outputs/fib
tdl run experiment=fib tiles=p75_25 seed='range(0,5)' save.final=false hydra.sweep.dir=outputs/fib
tdl run experiment=fib tiles=p90_10 learner=td alpha_per=entry alpha=0.0025 tuples.radix=21 seed='range(0,3)' episodes=10000000 budget.moves=1200000000 save.final=false hydra.sweep.dir=outputs/fib_td0
python -m experiments.tools.collect fib outputs/fib outputs/fib_td0 by=tiles,learner
# separate.csv: 11 GB of memory, so not a part of `make experiments`; seeds 3 and 4 have 1.2 billion moves only. The row of
# seed 2 after 1.2 billion moves is a copy of the longer run's checkpoint.
#     tdl run experiment=fib tiles=p90_10 learner=td alpha_per=entry alpha=0.0025 tuples.radix=21 tuples.share=false 'learner.schedule=[200000:0.00125,400000:0.000625]' seed='range(0,5)' episodes=10000000 budget.moves=1200000000,6000000000 save.final=false hydra.launcher.cores=1 hydra.sweep.dir=outputs/fib_separate
#     python -m experiments.tools.collect fib outputs/fib_separate by=budget.moves into=outputs/fib_separate

# fib_engines: 2584 on a board of bytes and on one of bits
tdl run experiment=fib_engines hydra.sweep.dir=outputs/fib_engines
python -m experiments.tools.collect fib/fib_engines outputs/fib_engines
