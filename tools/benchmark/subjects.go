package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Bounds on models and properties.
const (
	mostTransitions = 5_000 // of a model
	mostTries       = 200   // properties tried on a model
	mostHolding     = 6     // properties of the model as it is
	mostRepaired    = 4     // properties of a model that was repaired to satisfy them
)

// subject is a model with a property that holds of it.
type subject struct {
	name     string // the name of the model
	repaired bool   // whether the model was repaired for the property
	model    *lts.LTS
	text     string
	formula  property.Formula
}

// generated are models of algorithms and of graph shapes.
var generated = []generate.Spec{
	{Kind: "philosophers", Processes: 3},
	{Kind: "philosophers", Processes: 3, Asymmetric: true},
	{Kind: "peterson", Processes: 2},
	{Kind: "dijkstra", Processes: 2},
	{Kind: "stages", Width: 4, Height: 12},
	{Kind: "layered", Width: 6, Height: 10, Degree: 2, Labels: 12},
	{Kind: "ring", Width: 4, Height: 12, Degree: 2},
	{Kind: "grid", Width: 8, Height: 8},
	{Kind: "scc", States: 60, Degree: 2, Labels: 10, Locality: 6},
}

// gather returns the models of the examples folder, generated models, and those of a further
// folder, with the properties that hold of them.
func gather(ctx context.Context, root, folder string, seed uint64) ([]subject, error) {
	files, err := modelFiles(root, folder)
	if err != nil {
		return nil, err
	}
	var all []subject
	seen := map[string]bool{}
	for _, path := range files {
		m, _, err := aut.Open(ctx, path, aut.Options{})
		if err != nil {
			if folder == "" {
				return nil, err
			}
			continue // an example of a broken file
		}
		name := filepath.Base(path)
		if seen[name] {
			name = filepath.Base(filepath.Dir(path)) + "/" + name
		}
		seen[name] = true
		if all, err = appendSubjects(ctx, all, name, m, seed); err != nil {
			return nil, err
		}
	}
	for _, spec := range generated {
		spec.Seed = seed
		m, err := generate.LTS(ctx, spec)
		if err != nil {
			return nil, err
		}
		name := "generate " + spec.Kind
		if spec.Asymmetric {
			name += " --asymmetric"
		}
		if all, err = appendSubjects(ctx, all, name, m, seed); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// modelFiles returns the paths of the models in the examples folder and in a further folder, if its name is not empty.
func modelFiles(root, folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "examples", "*", "*.aut"))
	if err != nil || folder == "" {
		return files, err
	}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".aut" {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// appendSubjects adds a model with the properties that hold of it, and its repaired versions with
// the properties that hold of them.
func appendSubjects(
	ctx context.Context,
	all []subject,
	name string,
	m *lts.LTS,
	seed uint64,
) ([]subject, error) {
	m, err := reachable(ctx, m)
	if err != nil || m.NumTransitions() == 0 || m.NumTransitions() > mostTransitions {
		return all, err
	}
	holding, repaired := 0, 0
	for _, text := range candidates(m, rand.New(rand.NewPCG(seed, 0))) {
		if holding == mostHolding && repaired == mostRepaired {
			break
		}
		f, err := formula.Parse(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, text, err)
		}
		e, err := explain.Check(ctx, m, f, explain.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, text, err)
		}
		if e.Verdict == explain.Satisfied {
			if holding < mostHolding {
				holding++
				all = append(all, subject{
					name:     name,
					repaired: false,
					model:    m,
					text:     text,
					formula:  f,
				})
			}
			continue
		}
		if repaired == mostRepaired {
			continue
		}
		fixed, err := repair(ctx, m, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, text, err)
		}
		if fixed != nil {
			repaired++
			all = append(all, subject{
				name:     name,
				repaired: true,
				model:    fixed,
				text:     text,
				formula:  f,
			})
		}
	}
	return all, nil
}

// candidates are properties about labels of a model, in a random order.
func candidates(m *lts.LTS, random *rand.Rand) []string {
	var labels []string
	for t := range m.Transitions() {
		if text := m.Alphabet().Text(t.Label); text != "i" && text != "tau" {
			labels = append(labels, strconv.Quote(text))
		}
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	var all []string
	for _, a := range labels {
		all = append(all, "Inev("+a+")")
		for _, b := range labels {
			if a != b {
				all = append(all, "Inev("+a+", "+b+")", "Response("+a+"; "+b+")")
			}
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), mostTries)]
}

// repair returns the model under a supervisor; nil if there is no supervisor, or the model is
// large.
func repair(ctx context.Context, m *lts.LTS, f property.Formula) (*lts.LTS, error) {
	r, err := explain.FindRepair(ctx, m, f, explain.RepairOptions{})
	if err != nil || !r.Solvable || !r.EnoughAlone {
		return nil, err
	}
	fixed, _, err := r.Apply(ctx)
	if err != nil {
		return nil, err
	}
	fixed, err = reachable(ctx, fixed)
	if err != nil || fixed.NumTransitions() < 5 || fixed.NumTransitions() > mostTransitions {
		return nil, err
	}
	// A supervisor that keeps all runs from the trigger leaves nothing to explain.
	e, err := explain.Explain(ctx, fixed, f, explain.Options{NoAdvice: true, NoFairness: true})
	if err != nil || e.Verdict != explain.Satisfied {
		return nil, errors.Join(err, ctx.Err())
	}
	return fixed, nil
}

// reachable returns the reachable part of a model, its states renumbered in their order.
func reachable(ctx context.Context, m *lts.LTS) (*lts.LTS, error) {
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	number := make([]lts.State, m.NumStates())
	states := 0
	for s := range number {
		if m.Reachable().Has(lts.State(s)) {
			number[s] = lts.State(states)
			states++
		}
	}
	var b lts.Builder
	b.Over(m.Alphabet())
	var last lts.Transition
	for i, t := range slices.Collect(m.Transitions()) {
		if m.Reachable().Has(t.From) && (i == 0 || t != last) {
			b.Add(number[t.From], t.Label, number[t.To])
		}
		last = t
	}
	return b.Build(number[m.Initial()], states)
}
