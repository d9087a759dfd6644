# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=best_parts hydra.sweep.dir=outputs/best_parts_base
tdl run experiment=best_parts tuples=8x6_count,8x6 hydra.sweep.dir=outputs/best_parts
tdl run experiment=best_parts 'tuples.counts=[]' hydra.sweep.dir=outputs/best_parts
tdl run experiment=best_parts learner.start=empty,milestone hydra.sweep.dir=outputs/best_parts
tdl run experiment=best_parts learner.td_lambda=0 hydra.sweep.dir=outputs/best_parts
tdl run experiment=best_parts 'learner.schedule=[80%:0.5,92%:0.25]' hydra.sweep.dir=outputs/best_parts
tdl run experiment=best_parts 'learner.schedule=[1000:1.4]' hydra.sweep.dir=outputs/best_parts
tdl run experiment=best_parts tuples=8x6 learner.start=empty learner.schedule=null hydra.sweep.dir=outputs/best_parts
python -m experiments.tools.variants best_parts outputs/best_parts_base outputs/best_parts
tdl run experiment=best_parts learner.start=milestone hydra.sweep.dir=outputs/best_parts_milestones_base
tdl run experiment=best_parts learner.start=milestone tuples=8x6_count,8x6 hydra.sweep.dir=outputs/best_parts_milestones
tdl run experiment=best_parts learner.start=milestone 'tuples.counts=[]' hydra.sweep.dir=outputs/best_parts_milestones
tdl run experiment=best_parts learner.start=milestone learner.td_lambda=0 hydra.sweep.dir=outputs/best_parts_milestones
tdl run experiment=best_parts learner.start=milestone 'learner.schedule=[80%:0.5,92%:0.25]' hydra.sweep.dir=outputs/best_parts_milestones
tdl run experiment=best_parts learner.start=milestone 'learner.schedule=[1000:1.4]' hydra.sweep.dir=outputs/best_parts_milestones
python -m experiments.tools.variants best_parts/from_milestones outputs/best_parts_milestones_base outputs/best_parts_milestones
# milestones.csv: a row for each result.json of tdl run experiment=curve hydra.mode=RUN seed=21 budget.moves=100000000 evaluate.episodes=2000 learner.start=milestone and the keys in its columns
