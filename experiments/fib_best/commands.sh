# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=fib_best tuples=axe_box learner.start=empty learner.schedule=null seed='range(100,103)' budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/fib_best_choice
tdl run experiment=fib_best tuples=axe_box,4x6_redundant,8x6_redundant seed='range(100,103)' budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/fib_best_choice
tdl run experiment=fib_best tuples.radix=16 seed='range(100,103)' budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/fib_best_choice
tdl run experiment=fib_best tuples=axe_box tuples.radix=22 seed='range(100,103)' budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/fib_best_choice
tdl run experiment=fib_best tiles=p75_25 learner.td_lambda=0 tuples=axe_box learner.start=empty learner.schedule=null seed='range(100,103)' budget.moves=30000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/fib_best_choice
tdl run experiment=fib_best tiles=p75_25 learner.td_lambda=0 learner.milestone=512 tuples=axe_box,8x6_redundant seed='range(100,103)' budget.moves=30000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/fib_best_choice
python -m experiments.tools.collect fib_best outputs/fib_best_choice by=tiles,tuples,tuples.radix,learner.start into=outputs/fib_best_choice    # its results.csv, cut, is choice.csv here
tdl run experiment=fib_best tuples=axe_box learner.start=empty learner.schedule=null seed='range(0,3)' budget.moves=100000000 save.final=false hydra.sweep.dir=outputs/fib_best/plain
tdl run experiment=fib_best block=20 seed='range(0,3)' budget.moves=100000000 save.final=false hydra.sweep.dir=outputs/fib_best/100M
tdl run experiment=fib_best block=20 seed='range(3,6)' budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/fib_best/100M_more
tdl run experiment=fib_best hydra.mode=RUN seed=0 out=outputs/fib_best/3G_0
tdl run experiment=fib_best hydra.mode=RUN seed=1 out=outputs/fib_best/3G_1
tdl evaluate outputs/fib_best/3G_0 evaluate.plies=3 evaluate.episodes=50 out=outputs/fib_best/3G_0_plies_3
tdl evaluate outputs/fib_best/3G_1 evaluate.plies=3 evaluate.episodes=50 out=outputs/fib_best/3G_1_plies_3
python -m experiments.tools.curve fib_best outputs/fib_best
# blocks.csv is the results.csv of the recipe after 100 million moves in blocks of 200, in a folder of its own:
#     tdl run experiment=fib_best seed='range(0,3)' budget.moves=100000000 save.final=false hydra.sweep.dir=outputs/fib_best_blocks
tdl run experiment=fib_best hydra.mode=RUN block=20 tiles=p75_25 learner.td_lambda=0 learner.milestone=512 seed=0 budget.moves=1000000000 out=outputs/fib_best_p75_25/1G_0
tdl evaluate outputs/fib_best_p75_25/1G_0 evaluate.plies=3 evaluate.episodes=200 out=outputs/fib_best_p75_25/1G_0_plies_3
python -m experiments.tools.curve fib_best outputs/fib_best_p75_25 into=outputs/fib_best_p75_25    # its results.csv is p75_25.csv here
