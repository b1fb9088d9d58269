package compare

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// mostUnrolled is how many labels of a run are compared at least: more than the states of a
// small model taken as often as the loop has steps.
const mostUnrolled = 40

// labelsOf returns the labels of a run, its loop gone round until there are many.
func labelsOf(e *explain.Explanation) []string {
	var all []string
	steps := e.Trace().Steps()
	for _, s := range steps {
		all = append(all, e.LTS().Alphabet().Text(s.Label))
	}
	if loop, lasso := e.Trace().LoopStart(); lasso {
		for i := loop; len(all) < mostUnrolled; i++ {
			if i == len(steps) {
				i = loop
			}
			all = append(all, e.LTS().Alphabet().Text(steps[i].Label))
		}
	}
	return all
}

// farthest returns how many of the labels m can do at most, along any path, and the states in
// which it is then.
func farthest(m *lts.LTS, s lts.State, labels []string, done int, seen map[[2]int]bool, ends map[int]map[lts.State]bool) {
	if seen[[2]int{int(s), done}] {
		return
	}
	seen[[2]int{int(s), done}] = true
	if ends[done] == nil {
		ends[done] = map[lts.State]bool{}
	}
	ends[done][s] = true
	if done == len(labels) {
		return
	}
	for _, x := range outOf(m, s) {
		if x.Label == labels[done] {
			farthest(m, x.To, labels, done+1, seen, ends)
		}
	}
}

func checkDivergence(e *explain.Explanation, other *lts.LTS, d *Divergence) error {
	labels := labelsOf(e)
	ends := map[int]map[lts.State]bool{}
	farthest(other, other.Initial(), labels, 0, map[[2]int]bool{}, ends)
	last := len(ends) - 1
	stops := e.Trace().Kind() == counterexample.Deadlock
	could := map[string]bool{}
	deadlock := false
	for s := range ends[last] {
		deadlock = deadlock || other.IsDeadlock(s)
		for _, x := range outOf(other, s) {
			could[x.Label] = true
		}
	}
	follows := last == len(labels) && (!stops || deadlock)
	if e.Counterexample.IsStem() && follows {
		// It goes on to where the versions part, if only one of them violates the property.
		if !d.Follows && d.After < last {
			return fmt.Errorf("%+v: all of the prefix can be done", *d)
		}
		return nil
	}
	if d.Follows != follows {
		return fmt.Errorf("follows: %t", d.Follows)
	}
	if follows {
		return nil
	}
	takes := ""
	if last < len(labels) {
		takes = labels[last]
	}
	if d.After != last || d.Takes != takes || len(d.Could) != len(could) {
		return fmt.Errorf("%+v: %d labels can be done, then %v", *d, last, could)
	}
	for _, label := range d.Could {
		if !could[label] {
			return fmt.Errorf("%+v: %s is not possible", *d, label)
		}
	}
	return nil
}

// checkLatest holds the run against all shortest counterexamples.
func checkLatest(v *Versions, old *lts.LTS) error {
	if !v.Latest {
		return nil
	}
	all, err := counterexample.All(context.Background(), v.New.LTS(), v.New.Classification().Fates().Property(), counterexample.Options{})
	if err != nil {
		return err
	}
	for trace, err := range all.Each(context.Background()) {
		if err != nil {
			return err
		}
		d, err := follow(context.Background(), old, trace, v.New.LTS().Alphabet(), Options{})
		if err != nil {
			return err
		}
		if !v.Divergence.Follows && (d.Follows || d.After > v.Divergence.After) {
			return fmt.Errorf("%v parts after %d labels, the run that is told after %d", trace.Steps(), d.After, v.Divergence.After)
		}
	}
	return nil
}

// TestDivergenceInBulk holds where versions part against all paths with the labels of the run.
func TestDivergenceInBulk(t *testing.T) {
	var broken, known, repaired, both, decided, latest int
	for seed := range randomlts.Share(6_000) {
		old, fresh := versions(t, seed)
		text := []string{"Inev(A, B)", "Inev(A)", "Inev(B, A, B)", "Response(A; B)", "G F A", "Never(B)"}[seed%6]
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Property(context.Background(), Version{LTS: old}, Version{LTS: fresh}, f, explain.Options{}, Options{})
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, text, err)
		}
		e, other := v.New, old
		if v.New.Verdict != explain.Violated {
			e, other = v.Old, fresh
		}
		switch {
		case e.Verdict != explain.Violated:
			if v.Divergence != nil {
				t.Fatalf("seed %d: both hold, and part", seed)
			}
			continue
		case v.Old.Verdict == explain.Violated && v.New.Verdict == explain.Violated:
			both++
		case v.Old.Verdict == explain.Violated:
			repaired++
		default:
			broken++
		}
		if v.Divergence.Follows {
			known++
		}
		if v.Divergence.Decision > 0 {
			decided++
		}
		if v.Latest {
			latest++
		}
		err = checkDivergence(e, other, v.Divergence)
		if err == nil {
			err = checkLatest(v, old)
		}
		if err == nil && v.Old.Verdict != v.New.Verdict && v.Divergence.Follows && v.New.Verdict == explain.Violated {
			err = fmt.Errorf("a version that satisfies the property does a run that violates it")
		}
		if err != nil {
			t.Fatalf("seed %d, %s: %v\nold %d %v\nnew %d %v\nrun %v", seed, text, err, old.Initial(), arcsOf(old), fresh.Initial(), arcsOf(fresh), labelsOf(e))
		}
	}
	t.Logf("broken %d, repaired %d, both violate %d; known %d, at a decision %d, parts last %d", broken, repaired, both, known, decided, latest)
	if randomlts.Whole() && slices.Min([]int{broken, repaired, both, known, decided, latest}) < 100 {
		t.Error("too few of a kind")
	}
}
