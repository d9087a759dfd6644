# Makes the csv files and the figure of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=standstill hydra.sweep.dir=outputs/standstill_base
tdl run experiment=standstill budget.moves=128000000 hydra.sweep.dir=outputs/standstill
tdl run experiment=standstill lanes=64,16384 hydra.sweep.dir=outputs/standstill
tdl run experiment=standstill learner.batch_sum=none learner.order=backward,delayed lanes=3 episodes=10000000 block=200 hydra.sweep.dir=outputs/standstill
tdl run experiment=standstill learner.memory=1000,10000 hydra.sweep.dir=outputs/standstill
tdl run experiment=standstill 'learner.schedule=[50%:0.5,75%:0.25,90%:0.1]' hydra.sweep.dir=outputs/standstill
tdl run experiment=standstill learner.start=milestone hydra.sweep.dir=outputs/standstill
tdl run experiment=standstill learner.initial_value=20000 hydra.sweep.dir=outputs/standstill
tdl run experiment=standstill 'tuples.counts=[[8,9,10,11,12,13,14,15]]' tuples.count_cap=1 hydra.sweep.dir=outputs/standstill
tdl run experiment=standstill tuples=4x5 hydra.sweep.dir=outputs/standstill
python -m experiments.tools.variants standstill outputs/standstill_base outputs/standstill
# recipe.csv: a row for each result.json of these, with the seed, budget.moves and further words in its columns:
#   to 100 million moves: tdl run experiment=best save.final=false evaluate.episodes=3000
#   300 million moves: tdl run experiment=curve hydra.mode=RUN learner.start=milestone save.final=false evaluate.episodes=5000
tdl run experiment=curve learner.start=milestone seed=100 learner.initial_value=40000,160000,320000 budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/first_values
tdl run experiment=tc5_8x6 seed=100 episodes=10000000 learner.initial_value=0,320000 budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/first_values
tdl run experiment=curve learner.start=milestone seed=33 learner.initial_value=40000,320000 budget.moves=1000000000 save.final=false hydra.sweep.dir=outputs/first_values_1G
tdl run experiment=tc5_8x6 learner=otd_tc learner.td_lambda=0.5 seed=33 episodes=300000 evaluate.episodes=10000 save.final=false hydra.sweep.dir=outputs/first_values_1G
tdl run experiment=tc5_8x6 learner=otd_tc learner.td_lambda=0.5 alpha=0.25 seed=33 episodes=500000 evaluate.episodes=10000 save.final=false hydra.sweep.dir=outputs/first_values_1G
python -m experiments.tools.collect standstill outputs/first_values outputs/first_values_1G by=tuples,learner.start,learner.fixed_share,alpha,learner.initial_value into=outputs/first_values    # its results.csv, cut, is first_values.csv
