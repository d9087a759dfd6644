# Makes the csv files and figure of this page: every command, in order. `make experiments` runs a fiftieth of it.

# best_searched/twin.csv: the games with one ply are those of the run
tdl run experiment=curve hydra.mode=RUN seed=33 learner.start=milestone budget.moves=2000000000 out=outputs/best_searched_twin/milestone_33
tdl run experiment=curve hydra.mode=RUN seed=34 learner.start=milestone budget.moves=2000000000 out=outputs/best_searched_twin/milestone_34
tdl run experiment=curve hydra.mode=RUN seed=35 learner.start=milestone budget.moves=2000000000 out=outputs/best_searched_twin/milestone_35
tdl run experiment=curve hydra.mode=RUN seed=33 learner.start=empty budget.moves=2000000000 out=outputs/best_searched_twin/empty_33
tdl run experiment=curve hydra.mode=RUN seed=33 learner.start=empty tuples=8x6_count budget.moves=2000000000 out=outputs/best_searched_twin/count_33
tdl run experiment=curve hydra.mode=RUN seed=34 learner.start=empty tuples=8x6_count budget.moves=2000000000 out=outputs/best_searched_twin/count_34
tdl run experiment=curve hydra.mode=RUN seed=35 learner.start=empty tuples=8x6_count budget.moves=2000000000 out=outputs/best_searched_twin/count_35
tdl evaluate -m checkpoint=outputs/best_searched_twin/milestone_33,outputs/best_searched_twin/milestone_34,outputs/best_searched_twin/milestone_35,outputs/best_searched_twin/empty_33,outputs/best_searched_twin/count_33,outputs/best_searched_twin/count_34,outputs/best_searched_twin/count_35 evaluate.plies=2,3 evaluate.episodes=1000 hydra.sweep.dir=outputs/best_searched_twin/games
python -m experiments.tools.curve best_searched outputs/best_searched_twin into=outputs/best_searched_twin    # its results.csv is twin.csv of best_searched

# results.csv, cut to the columns here
tdl run experiment=curve seed=33 learner.start=empty tuples=8x6_count,8x6_redundant budget.moves=600000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/unlearned
tdl run experiment=curve seed=33 learner.start=empty 'learner.schedule=[80%:0.5,92%:0.25]' budget.moves=600000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/unlearned
tdl run experiment=curve seed=33 learner.start=empty alpha=0.5 'learner.schedule=[80%:0.25,92%:0.125]' budget.moves=600000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/unlearned
tdl run experiment=curve seed=34 learner.start=empty tuples=8x6_count_redundant,8x6_redundant budget.moves=600000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/unlearned
python -m experiments.tools.collect unlearning outputs/unlearned by=tuples,alpha,learner.schedule
# The value of a tidy board: python -c 'import tdl; print(tdl.load("outputs/best_searched_twin/empty_33").value([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2], [4096, 2048, 1024, 512]]))'
