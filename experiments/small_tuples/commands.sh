# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=small_tuples hydra.sweep.dir=outputs/small_tuples
python -m experiments.tools.collect small_tuples outputs/small_tuples by=tuples
tdl run -m experiment=variants tuples=4x6,4x6_redundant seed='range(0,5)' hydra.sweep.dir=outputs/small_tuples_4x6
python -m experiments.tools.collect small_tuples outputs/small_tuples_4x6 by=tuples into=outputs/small_tuples_4x6    # 4x6.csv here
tdl run -m experiment=small_tuples tuples=8x6_count seed='range(100,105)' 'tuples.cells=[[0,1,2,4,5,6],[4,5,6,7,8,9],[0,1,2,3,4,5],[2,3,4,5,6,9],[0,1,2,5,9,10],[3,4,5,6,7,8],[1,3,4,5,6,7],[0,1,4,8,9,10],[0,1,2,3],[4,5,6,7]]' hydra.sweep.dir=outputs/small_tuples_lines
python -m experiments.tools.collect small_tuples outputs/small_tuples_lines by=tuples into=outputs/small_tuples_lines
