//go:build linux

package main

import "strconv"

// random draws a command on the model of the round.
func (r *round) random() *command {
	name := r.pick("info", "check", "check", "explain", "explain", "explain", "enrich",
		"classify", "path",
		"diagram", "formula", "labels", "convert", "generate", "man", "completion")
	c := &command{args: []string{name}}
	switch name {
	case "man":
		return c
	case "completion":
		c.args = append(c.args, r.pick("bash", "zsh", "fish"))
		return c
	case "generate":
		c.args = append(c.args, r.pick("random", "scc", "datarich", "chain", "cycle", "star"),
			"--states", strconv.Itoa(2+r.rng.IntN(50)),
			"--seed", strconv.Itoa(r.rng.IntN(100)), "--shuffle")
		r.toFile(c, "g.aut", "g.aut.gz", "g.aut.zst")
		return c
	case "formula":
		r.property(c)
		c.args = append(c.args, "--allow-unmatched", "--model", r.model)
	default:
		if r.model != "large.aut" && r.oneIn(6) {
			c.args, c.stdin = append(c.args, "-"), r.model
		} else {
			c.args = append(c.args, r.model)
		}
		if name != "info" && name != "labels" && name != "convert" {
			r.property(c)
			c.args = append(c.args, "--allow-unmatched")
		}
	}
	r.flags(c, name)
	return c
}

func (r *round) property(c *command) {
	if r.oneIn(5) {
		c.args = append(c.args, "--formula", "f.inev")
	} else {
		c.args = append(c.args, r.formula)
	}
}

// toFile makes the command write the result to one of the named files, or to standard output.
func (r *round) toFile(c *command, names ...string) {
	if r.oneIn(2) {
		name := r.pick(names...)
		c.args, c.files = append(c.args, "-o", name), append(c.files, name)
	}
}

// maybe adds arguments with the probability 1/n.
func (r *round) maybe(c *command, n int, args ...string) {
	if r.oneIn(n) {
		c.args = append(c.args, args...)
	}
}

// flags adds random flags that go with a command.
func (r *round) flags(c *command, name string) {
	r.maybe(c, 4, r.pick("--quiet", "--no-progress", "--no-color", "--lenient", "--stats"))
	if name != "labels" && name != "formula" && name != "convert" {
		r.maybe(c, 4, "--scc", r.pick("auto", "gonum", "iterative"))
	}
	switch name {
	case "diagram":
		r.drawing(c)
	case "convert":
		r.converting(c)
	default:
		if r.oneIn(2) {
			c.args = append(c.args, "--format", r.pick("json", "tsv", "markdown", "text"))
		} else {
			r.toFile(c, "o.txt", "o.json", "o.tsv", "o.md")
		}
		r.maybe(c, 6, "--width", strconv.Itoa(20+r.rng.IntN(100)))
		r.question(c, name)
	}
}

// converting adds the file to which a model is converted, and what that file needs.
func (r *round) converting(c *command) {
	file := r.pick("c.aut", "c.aut.gz", "c.aut.zst", "c.dot", "c.autx")
	c.args = append(c.args, "-o", file)
	c.files = append(c.files, file)
	if file == "c.autx" {
		r.property(c)
		c.args = append(c.args, "--allow-unmatched")
		r.method(c)
	}
}

// question adds the flags that only some commands have.
func (r *round) question(c *command, name string) {
	switch name {
	case "info":
		r.maybe(c, 3, "--internal", "A")
	case "labels":
		r.maybe(c, 3, "--gates")
		r.maybe(c, 3, "--full")
	case "classify":
		r.method(c)
		r.maybe(c, 2, "--neighbourhoods")
	case "enrich":
		r.method(c)
	case "path":
		r.method(c)
		r.maybe(c, 2, "--to",
			r.pick("nearest", "each", "correct", "incorrect", "mixed", "mixed-neutral", "lost"))
		r.maybe(c, 6, "--pattern", r.pick("A", "B, A", "*"))
	case "check":
		r.checking(c)
	case "explain":
		r.explaining(c)
	}
}

// checking adds flags of inev check.
func (r *round) checking(c *command) {
	switch r.rng.IntN(6) {
	case 0, 1:
		c.args = append(c.args, "--all", "--limit", strconv.Itoa(1+r.rng.IntN(30)))
	case 2:
		// The other algorithms may take hours on a large model.
		algorithm := "colour"
		if r.scene != "large" {
			algorithm = r.pick("colour", "contrex", "priority")
		}
		c.args = append(c.args, "--algorithm", algorithm)
	case 3:
		c.args = append(c.args, "--search-limit", strconv.Itoa(1+r.rng.IntN(60)))
	}
	r.maybe(c, 2, "--full")
	r.maybe(c, 6, "--fold", r.pick("A", "B", "*"))
}

func (r *round) method(c *command) {
	r.maybe(c, 3, "--neighbourhood", r.pick("all", "some"))
	r.maybe(c, 5, "--unfold")
}

// which draws the flags that choose the counterexample.
func (r *round) which(c *command) {
	switch r.rng.IntN(8) {
	case 0:
		c.args = append(c.args, "--search-limit", strconv.Itoa(1+r.rng.IntN(60)))
	case 1:
		c.args = append(c.args, "--passing", r.pick("any", "fewest", "most"))
	case 2:
		c.args = append(c.args, "--pattern", r.pick("A", "B", "A, B", "C, A"))
	}
}

// explaining adds random flags of inev explain.
func (r *round) explaining(c *command) {
	r.method(c)
	r.which(c)
	r.maybe(c, 2, "--full")
	r.maybe(c, 8, "--fold", r.pick("A", "B", "*"))
	r.maybe(c, 10, "--no-fairness")
	for _, f := range []struct {
		flag, file string
		n          int // the flag is drawn once in n times, since pages and pictures take long
	}{{"--json", "x.json", 4}, {"--html", "x.html", 15}, {"--svg", "x.svg", 15}, {"--dot", "x.dot", 4}, {"--trace", "x.seq", 4},
		{"--abstracted", "y.seq", 6}, {"--autx", "x.autx", 6}, {"--certificate", "cert.json", 6}} {
		if r.oneIn(f.n) && !(f.file == "cert.json" && c.hasFlag("--unfold")) {
			c.args, c.files = append(c.args, f.flag, f.file), append(c.files, f.file)
		}
	}
}

// drawing adds random flags of inev diagram, and the name of the picture.
func (r *round) drawing(c *command) {
	file := r.pick("p.dot", "p.dot", "p.dot", "p.svg", "p.png")
	c.args, c.files = append(c.args, "-o", file), append(c.files, file)
	r.method(c)
	r.which(c)
	r.maybe(c, 2, "--view", r.pick("auto", "whole", "excerpt", "neighbourhoods", "quotient"))
	r.maybe(c, 4, "--rankdir", r.pick("TB", "LR", "auto"))
	r.maybe(c, 4, "--layout", r.pick("dot", "neato", "fdp", "circo", "twopi", "osage"))
	r.maybe(c, 4, r.pick("--no-legend", "--full", "--all"))
	r.maybe(c, 6, "--font-size", strconv.Itoa(4+r.rng.IntN(20)))
	r.maybe(c, 6, "--max-states", strconv.Itoa(1+r.rng.IntN(50)))
}
