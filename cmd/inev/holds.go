package main

// readHolds reads the flags that say what is asked of a property that holds, and of faults.
func (j *job) readHolds() (err error) {
	if j.options.Faults, err = j.readPatterns("faults"); err != nil {
		return err
	}
	j.options.NoHolds = j.c.Bool("no-holds")
	switch what := j.flag("rests-on"); what {
	case "", "gates":
	case "labels":
		j.options.RestsOnLabels = true
	default:
		return j.refuse("--rests-on %s is not gates or labels", what)
	}
	if j.options.NoHolds && j.flag("rests-on") != "" {
		return j.refuse("--no-holds and --rests-on contradict each other")
	}
	return nil
}
