# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=stability save.final=false hydra.sweep.dir=outputs/stability
tdl run experiment=stability learner.td_lambda=0.5 save.final=false hydra.sweep.dir=outputs/stability_lambda
tdl run experiment=stability learner.order=forward save.final=false hydra.sweep.dir=outputs/stability_forward
tdl run experiment=stability learner=tc tuples.share=true alpha=2 learner.order=backward,forward save.final=false hydra.sweep.dir=outputs/stability_tc
python -m experiments.tools.collect stability outputs/stability_tc by=learner.order,alpha into=outputs/stability_tc    # tc.csv here
tdl run experiment=stability alpha=0.3,1.05 seed='range(0,5)' episodes=300 save.final=true hydra.sweep.dir=outputs/stability_networks
python -m experiments.tools.collect stability outputs/stability outputs/stability_lambda outputs/stability_forward by=learner.order,learner.td_lambda,tuples.share,alpha
python -m experiments.stability.analyse outputs/stability_networks
