package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
)

// attempts is the number of faults that are drawn for a subject; if none of them violates the
// property, the subject is left out.
const attempts = 40

// score is the result of a method for a fault.
type score struct {
	listed int // the number of places
	rank   int // the position, from 1, of the first listed state with the fault; 0 if there is none
	// read is the share of the states that a reader looks at until one has the fault: first the
	// listed states, then the other states of the run from its end. It is 1 if none of these has
	// the fault.
	read float64
}

// trial is an injected fault that violates the property.
type trial struct {
	subject   int
	fault     faultKind
	violation counterexample.Kind
	onRun     bool // whether the run passes the fault
	length    int  // the length of the run, in places
	scores    []score
	guess     guess
}

// guess is the suggestion about a removed transition.
type guess struct {
	guessed bool // whether the method has named some
	// label and transition are the ranks, from 1, of the first suggestion with the label of the
	// removed transition, and of that transition itself; 0 if there is none.
	label, transition int
}

// guessOf compares the suggestions with the removed transition.
func guessOf(v evidence, d damaged) guess {
	n := v.e.Necessity
	if d.gone == nil || n == nil {
		return guess{}
	}
	g := guess{guessed: len(n.Missing) > 0}
	at := lts.State(0)
	if n.At != nil {
		at = lts.State(*n.At)
	}
	label := d.model.Alphabet().Text(d.gone.Label)
	for i, t := range n.Missing {
		if at != d.gone.From || t.Label != label {
			continue
		}
		if g.label == 0 {
			g.label = i + 1
		}
		if lts.State(t.To) == d.gone.To {
			g.transition = i + 1
		}
	}
	return g
}

// inject damages the subjects in turn until there are as many trials as requested, or no subject is
// worth another attempt.
func inject(
	ctx context.Context,
	subjects []subject,
	faults int,
	seed uint64,
	by []method,
) ([]trial, error) {
	var all []trial
	for round := uint64(0); len(all) < faults; round++ {
		found := make([]*trial, len(subjects)*len(faultKinds))
		group, inside := errgroup.WithContext(ctx)
		group.SetLimit(2)
		for i := range found {
			group.Go(func() (err error) {
				s, kind := i/len(faultKinds), faultKinds[i%len(faultKinds)]
				random := rand.New(rand.NewPCG(seed, round<<32|uint64(i)))
				if found[i], err = try(inside, subjects, s, kind, random, by); err != nil {
					err = fmt.Errorf("%s, %s, %s: %w", subjects[s].name, subjects[s].text, kind,
						err)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(t *trial) bool {
			return t == nil
		})
		if len(found) == 0 {
			break
		}
		for _, t := range found {
			all = append(all, *t)
		}
	}
	return all[:min(len(all), faults)], nil
}

// try draws faults of a kind until one violates the property; nil if that takes more draws than the
// limit.
func try(
	ctx context.Context,
	subjects []subject,
	s int,
	kind faultKind,
	random *rand.Rand,
	by []method,
) (*trial, error) {
	for range attempts {
		d, changed, err := damage(subjects[s].model, kind, random)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		v, err := look(ctx, subjects[s], d)
		if err != nil {
			return nil, err
		}
		if v != nil {
			return judge(s, kind, d, *v, by), nil
		}
	}
	return nil, nil
}

// judge scores all methods on a fault.
func judge(s int, kind faultKind, d damaged, v evidence, by []method) *trial {
	run := runFromEnd(v.e)
	t := &trial{
		subject:   s,
		fault:     kind,
		violation: v.e.Counterexample.Kind,
		length:    len(run),
	}
	t.guess = guessOf(v, d)
	t.onRun = rank(run, d.places) > 0
	for _, m := range by {
		t.scores = append(t.scores, scoreOf(m.places(v), run, d.places))
	}
	return t
}

// scoreOf scores a list of states.
func scoreOf(places, run, fault []lts.State) score {
	x := score{listed: len(places), rank: rank(places, fault), read: 1}
	read := distinct(append(slices.Clone(places), run...))
	if at := rank(read, fault); at > 0 {
		x.read = float64(at) / float64(len(read))
	}
	return x
}

// rank returns the position, from 1, of the first state with the fault; 0 if there is none.
func rank(places, fault []lts.State) int {
	return 1 + slices.IndexFunc(places, func(s lts.State) bool { return slices.Contains(fault, s) })
}
