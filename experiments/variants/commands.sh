# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run -m experiment=variants save.final=true hydra.sweep.dir=outputs/variants_base 'hydra.sweep.subdir=${seed}'
tdl run -m experiment=variants learner.order=delayed,forward hydra.sweep.dir=outputs/variants
tdl run -m experiment=variants learner.stages='[2048,8192]' learner.promotion=true,false hydra.sweep.dir=outputs/variants
tdl run -m experiment=variants learner.stages='[2048,8192]' learner.start=carousel hydra.sweep.dir=outputs/variants
tdl run -m experiment=variants learner.start=restart hydra.sweep.dir=outputs/variants
tdl run -m experiment=variants learner.td_lambda=0 hydra.sweep.dir=outputs/variants
tdl run -m experiment=variants learner.td_lambda=0 learner.n_step=3,10 hydra.sweep.dir=outputs/variants
tdl run -m experiment=variants tuples=4x6_redundant hydra.sweep.dir=outputs/variants
tdl run -m experiment=variants evaluate.average=5 save.every=1000 save.keep=5 hydra.sweep.dir=outputs/variants
tdl evaluate -m checkpoint=outputs/variants_base/0,outputs/variants_base/1,outputs/variants_base/2,outputs/variants_base/3,outputs/variants_base/4 evaluate.plies=2 search.downgrade=null,12 hydra.sweep.dir=outputs/variants_plies
python -m experiments.tools.variants variants outputs/variants_base outputs/variants outputs/variants_plies
