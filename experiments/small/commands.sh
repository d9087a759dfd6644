# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=small out=outputs/small/winner
tdl run experiment=small seed=1 budget.moves=1e8 evaluate.episodes=2000 out=outputs/small/counts
tdl run experiment=small seed=1 budget.moves=1e8 evaluate.episodes=2000 'tuples.counts=[]' out=outputs/small/radix_14
tdl run experiment=small seed=1 budget.moves=1e8 evaluate.episodes=2000 'tuples.counts=[]' tuples.radix=13 out=outputs/small/radix_13
tdl run experiment=small seed=1 budget.moves=1e8 evaluate.episodes=2000 tuples.radix=13 out=outputs/small/radix_13_counts
tdl run experiment=small seed=1 budget.moves=1e8 evaluate.episodes=2000 'tuples.counts=[]' tuples.radix=11 'tuples.cells=[[0,1,2,4,5,6],[0,1,2,3,4,5],[0,1,2,3],[4,5,6,7],[0,1,4,5],[1,2,5,6],[5,6,9,10]]' out=outputs/small/two_of_6
tdl run experiment=small seed=1 budget.moves=1e8 evaluate.episodes=2000 'tuples.counts=[]' tuples.radix=10 'tuples.cells=[[0,1,2,4,5,6],[4,5,6,7,8,9],[0,1,2,3,4,5],[2,3,4,5,6,9],[0,1,2,3],[4,5,6,7],[0,1,4,5],[1,2,5,6],[5,6,9,10]]' out=outputs/small/four_of_6
tdl run experiment=best tuples=17x4 seed=1 budget.moves=1e8 evaluate.episodes=2000 out=outputs/small/17x4
python -m experiments.tools.collect small outputs/small by=tuples.radix,tuples.counts,budget.moves
python -m experiments.small.analyse outputs/small
python -m experiments.small.analyse outputs/small/winner file=rounding steps=0,1,2,4,8,16,32 games=10000
python -m experiments.small.analyse outputs/small/winner file=searched steps=8 plies=2,3 games=300
