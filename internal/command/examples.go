package command

// example is a command line with what it does.
type example struct {
	does string
	line string // as typed into a shell, after "fdplan "
}

// examples has at least two for each command; --help and the man page show them.
var examples = []struct {
	command string
	lines   []example
}{
	{"check", []example{
		{"Check a domain and an instance that stand in two files", "check domain.rddl instance.rddl"},
		{"The same as JSON", "check domain.rddl instance.rddl --json"},
	}},
	{"init", []example{
		{"A task and a data set from a log whose actions are in one column", "init lift.csv -o lift --actions command --goal 'floor == 0'"},
		{"With given bin edges, and empty cells filled from the row before", "init lift.csv -o lift --actions command --bins load_kg=0,200,600 --missing previous"},
	}},
	{"serve", []example{
		{"Open the page in a browser, at a free port of this machine", "serve"},
		{"At a fixed port, without a browser, for scripts", "serve --listen 127.0.0.1:8080 --no-browser --token-file token.txt"},
		{"For one program, over standard input and output", "serve --stdio"},
	}},
	{"list", []example{
		{"The problems that can be named in place of PROBLEM", "list"},
		{"The same as JSON", "list --json"},
	}},
	{"show", []example{
		{"What a bundled problem states", "show navigation/3x3"},
		{"The same of a problem in the published files below a folder", "show --files fd-sat-plan inventory/2"},
	}},
	{"plan", []example{
		{"An optimal plan of four steps, proven and checked", "plan navigation/3x3 -H 4"},
		{"The best horizon from 2 to 12, with a further rule, as JSON", "plan navigation/5x5 -H 2..12 --require '~robot-at(x6,y12)' --json -o plan.json"},
		{"With the RDDL itself instead of the network, for a minute at most", "plan sysadmin/4 -H 8 --model rddl --time-limit 60s"},
		{"Steps that the training rows of the network support, and no others", "plan examples/two-product/task.toml --safe"},
		{"What to do in each state of RDDL that draws at random", "plan --domain d.rddl --instance i.rddl --policy -o policy.json"},
		{"On the workers of a server, with the proofs of all parts joined", "plan navigation/5x5 -H 10 --connect nats://127.0.0.1:4222 --certify maze"},
	}},
	{"certify", []example{
		{"Check what plan navigation/3x3 --certify maze has written", "certify maze"},
		{"The same, with the problem files compared with the problem", "certify maze --problem navigation/3x3"},
		{"A proof that was written by itself", "certify --opb maze.opb --proof maze.pbp"},
		{"A proof of the answer to a MaxSAT problem", "certify --wcnf maze.wcnf --proof maze.pbp"},
	}},
	{"compile", []example{
		{"For a pseudo-Boolean solver, with a map back to the problem", "compile navigation/3x3 -H 4 --format opb -o maze.opb --map maze.map.json"},
		{"Only the sizes of the paper's encoding", "compile navigation/3x3 -H 4 --format wcnf --encoding paper --stats"},
	}},
	{"simulate", []example{
		{"Replay a plan in the RDDL", "simulate navigation/3x3 --plan plan.json"},
		{"Ten random steps as CSV", "simulate sysadmin/4 --policy random --steps 10 --seed 1 --csv"},
	}},
	{"collect", []example{
		{"Transitions by exploration", "collect navigation/3x3 -n 10000 --seed 1 -o data.parquet"},
		{"The same on the workers of a server", "collect navigation/3x3 -n 10000000 --seed 1 --connect nats://127.0.0.1:4222 -o data.parquet"},
		{"Transitions from a log of the real system", "collect navigation/3x3 --log log.csv -o data.parquet"},
	}},
	{"learn", []example{
		{"From nothing to a proven plan", "learn navigation/3x3 --simulator rddl -o maze"},
		{"In a process that is never reset, with at most 200 steps; again with --resume", "learn task.toml --simulator 'python3 plant.py' --resets no --steps 200 -o plant"},
	}},
	{"train", []example{
		{"Learn a network with two hidden layers", "train data.parquet --task navigation/3x3 --hidden 32,32 -o maze.bnn"},
		{"Several shapes, on the workers of a server", "train data.parquet --task navigation/3x3 --grid --connect nats://127.0.0.1:4222 -o maze.bnn"},
		{"The same, resumable, with a report", "train data.parquet --task navigation/3x3 --checkpoint maze.ckpt --resume --report report -o maze.bnn"},
	}},
	{"lift", []example{
		{"Five computers stand for eight", "lift five.bnn --task examples/sysadmin-8/task.toml -o eight.bnn"},
		{"The same as JSON, with all outputs that are unseen", "lift five.bnn --task examples/sysadmin-8/task.toml -o eight.bnn --json"},
	}},
	{"convert", []example{
		{"A network trained elsewhere", "convert network.npz --task navigation/3x3 -o maze.bnn"},
		{"A network of the published layout", "convert bnn.txt --normalization normalization.txt --task navigation/3x3 -o maze.bnn"},
	}},
	{"test", []example{
		{"How often a network is wrong, on data and on all legal rows", "test maze.bnn data.parquet --task navigation/3x3"},
		{"On the legal rows alone, as JSON", "test maze.bnn --task navigation/3x3 --json"},
	}},
	{"validate", []example{
		{"Replay a plan in the model", "validate navigation/3x3 plan.json"},
		{"In the model and in the RDDL", "validate navigation/3x3 plan.json --simulator rddl"},
	}},
	{"verify", []example{
		{"Whether two moves can never be made at once", "verify navigation/3x3 --property '~(move-east & move-west)'"},
		{"A counterexample, kept in a file", "verify sysadmin/4 --property \"running(c1) => running(c1)'\" --witness broken.json"},
	}},
	{"explain", []example{
		{"Why there is no plan of three steps", "explain navigation/3x3 -H 3"},
		{"What forces each step of a plan", "explain navigation/3x3 plan.json"},
		{"The same of a plan that is found first, as JSON", "explain sysadmin/4 -H 4 --json"},
		{"With proofs of what comes of each change", "explain navigation/3x3 -H 4 --certify why"},
	}},
	{"solve", []example{
		{"A pseudo-Boolean problem", "solve maze.opb"},
		{"On a worker of a server", "solve maze.opb --connect nats://127.0.0.1:4222"},
		{"A MaxSAT problem, packed, for a minute at most", "solve maze.wcnf.gz --time-limit 60s"},
		{"With a proof that VeriPB and certify read", "solve maze.wcnf --proof maze.pbp"},
	}},
	{"bench", []example{
		{"The paper's experiments in short", "bench paper --quick -o out"},
		{"On the workers of a server", "bench paper --connect nats://127.0.0.1:4222 -o out"},
		{"In full, with the published networks and a minute a run", "bench paper --files fd-sat-plan --time-limit 60s -o out"},
	}},
	{"broker", []example{
		{"For workers on this machine", "broker queue"},
		{"For workers anywhere, with TLS and a token", "broker queue --listen 0.0.0.0:4222 --cert server.pem --key server.key --token-file token"},
	}},
	{"worker", []example{
		{"One unit per core of this machine at a time", "worker --connect nats://127.0.0.1:4222"},
		{"Four at a time, on another machine", "worker --connect tls://queue.example.org:4222 --ca ca.pem --token-file token --slots 4"},
	}},
	{"cluster", []example{
		{"What the workers are doing", "cluster --connect nats://127.0.0.1:4222"},
		{"The same every two seconds", "cluster --watch"},
		{"The numbers for Prometheus", "cluster --metrics"},
	}},
	{"run", []example{
		{"Plan, take one step in the RDDL, plan again", "run navigation/3x3 -H 6 --simulator rddl"},
		{"Take two steps of each plan in your own system", "run navigation/3x3 -H 6 --simulator 'python3 robot.py' --replan-every 2 --steps 20"},
		{"Follow a policy of plan --policy -o", "run --domain d.rddl --instance i.rddl --policy policy.json --simulator 'python3 robot.py'"},
		{"Plan in RDDL that draws at random, and compare with other policies", "run --domain d.rddl --instance i.rddl --determinize most-likely --simulator rddl --episodes 30 --plan-time 1s"},
	}},
	{"help", []example{
		{"All commands", "help"},
		{"One command, with its flags and examples", "help plan"},
	}},
	{"man", []example{
		{"Read the page", "man | man -l -"},
		{"Install it", "man > ~/.local/share/man/man1/fdplan.1"},
	}},
	{"completion", []example{
		{"In this bash", "completion bash > fdplan.bash && . ./fdplan.bash"},
		{"For every fish", "completion fish > ~/.config/fish/completions/fdplan.fish"},
	}},
	{"report", []example{
		{"A page of what a bench has measured so far", "report bench-out"},
		{"The same without the names of the files", "report --quiet bench-out"},
		{"The same, with the main table in README.md", "report --readme README.md bench-out"},
	}},
}

// examplesOf are the examples of a command.
func examplesOf(command string) []example {
	for _, e := range examples {
		if e.command == command {
			return e.lines
		}
	}
	return nil
}
