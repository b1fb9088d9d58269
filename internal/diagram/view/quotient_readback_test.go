package view

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// TestQuotientsAreTrue reads pictures of quotients back: each step of the run is on the arrow or in the
// node that it belongs to, and the counts and names in a node are right.
func TestQuotientsAreTrue(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		e := specimens.Nondeterministic(t, seed)
		if e.Trace() == nil {
			continue
		}
		read, err := newQuotientReader(e, met)
		if err != nil {
			t.Fatal(err)
		}
		for _, full := range []bool{false, true} {
			g, err := Of(context.Background(), e, Options{Kind: Quotient, Full: full})
			if err != nil {
				t.Fatal(err)
			}
			if err := read.graph(g); err != nil {
				t.Errorf("seed %d, in full %v: %v\n%s", seed, full, err, specimens.Written(e))
			}
		}
	}
	for _, kind := range []string{"stays inside", "round inside", "lost in", "could be", "states and deadlocks", "neighbourhoods in some", "certain", "marked"} {
		if randomlts.Whole() && met[kind] < 10 {
			t.Errorf("%s: met %d times", kind, met[kind])
		}
	}
}

// quotientReader reads pictures of the quotient of an explanation's model.
type quotientReader struct {
	e   *explain.Explanation
	q   *quotient.Quotient
	is  *assertions.Steps
	met map[string]int
}

func newQuotientReader(e *explain.Explanation, met map[string]int) (*quotientReader, error) {
	q, _, err := quotient.OfClassification(context.Background(), e.Classification(), 1000)
	if err != nil {
		return nil, err
	}
	is, _, _ := specimens.Steps(e)
	return &quotientReader{e, q, is, met}, nil
}

func (r *quotientReader) block(s lts.State) lts.State {
	block, _ := r.q.Block(s)
	return block
}

func (r *quotientReader) graph(g *Graph) error {
	shown := map[int]int{}
	if err := r.ends(g); err != nil {
		return err
	}
	for i := range g.Arrows {
		if err := r.arrow(&g.Arrows[i], shown); err != nil {
			return err
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.End == Satisfied {
			continue
		}
		if err := r.inside(n, shown); err != nil {
			return err
		}
		if err := r.says(n); err != nil {
			return fmt.Errorf("state %s says %q: %w", n.Name, n.DecisionText(), err)
		}
		if err := r.size(n); err != nil {
			return fmt.Errorf("state %s says %q: %w", n.Name, n.Size(), err)
		}
	}
	for step := range r.is.Run.Transitions {
		if shown[step+1] > 1 || g.Whole && shown[step+1] == 0 {
			return fmt.Errorf("step %d is shown %d times", step+1, shown[step+1])
		}
	}
	return nil
}

// ends checks that correct transitions, and no others, lead to one end, and that all else is reached without
// them.
func (r *quotientReader) ends(g *Graph) error {
	ends := map[lts.State]bool{}
	reached := map[lts.State]bool{g.Initial: true}
	for range g.Nodes {
		for _, a := range g.Arrows {
			reached[a.To] = reached[a.To] || reached[a.From] && a.Class != fate.Correct
		}
	}
	for _, n := range g.Nodes {
		switch {
		case n.End == Satisfied:
			ends[n.State] = true
		case g.Whole && !reached[n.State]:
			return fmt.Errorf("state %s lies behind correct transitions", n.Name)
		}
	}
	if len(ends) > 1 {
		return fmt.Errorf("%d ends", len(ends))
	}
	for _, a := range g.Arrows {
		if (a.Class == fate.Correct) != ends[a.To] {
			return fmt.Errorf("the arrow with %v from %d, which is %v, leads to an end: %t", a.Labels, a.From, a.Class, ends[a.To])
		}
		if !ends[a.To] {
			continue
		}
		r.met["certain"]++
		for _, l := range a.Labels {
			if !r.isCertain(a.From, l.Text) {
				return fmt.Errorf("no transition with %s from the states of %d is correct", l.Text, a.From)
			}
		}
	}
	return nil
}

// isCertain reports whether a transition with this label from a state of a block is correct.
func (r *quotientReader) isCertain(block lts.State, label string) bool {
	m := r.e.LTS()
	for _, s := range r.q.States(block) {
		for l, to := range m.From(s) {
			if m.Alphabet().Text(l) == label && r.e.Classification().Class(s, l, to) == fate.Correct {
				return true
			}
		}
	}
	return false
}

// arrow checks the steps of an arrow, which are the numbers before its labels.
func (r *quotientReader) arrow(a *Arrow, shown map[int]int) error {
	for _, number := range a.Steps {
		shown[number]++
		if a.Folded > 0 {
			continue
		}
		t := r.is.Run.Transitions[number-1]
		label := r.e.LTS().Alphabet().Text(t.Label)
		named := a.More > 0 || slices.ContainsFunc(a.Labels, func(l Label) bool { return l.Text == label })
		if r.block(t.From) != a.From || r.block(t.To) != a.To || !named {
			return fmt.Errorf("step %d, %v, is on the arrow from %d to %d with %v", number, t, a.From, a.To, a.Labels)
		}
		if a.From == a.To && len(a.Steps) > 1 {
			r.met["round inside"]++
		}
	}
	if err := r.marked(a); err != nil {
		return err
	}
	if a.NoReturn && !slices.Contains(a.Steps, r.is.NoReturn) {
		return fmt.Errorf("the point of no return is step %d, not among %v", r.is.NoReturn, a.Steps)
	}
	return nil
}

// marked checks the labels of an arrow that the run takes, or that is a better choice: each is that of a step
// of the run on this arrow, or of a transition with this arrow that leaves a state of the run.
func (r *quotientReader) marked(a *Arrow) error {
	if a.Folded > 0 || len(a.Steps) == 0 && !a.Better {
		return nil
	}
	text := r.e.LTS().Alphabet().Text
	taken := map[string]bool{}
	possible := map[string]bool{}
	for _, number := range a.Steps {
		taken[text(r.is.Run.Transitions[number-1].Label)] = true
	}
	for _, step := range r.is.Run.Transitions {
		for l, to := range r.e.LTS().From(step.From) {
			isOnArrow := r.block(step.From) == a.From && (r.block(to) == a.To || a.Class == fate.Correct)
			if isOnArrow && (l != step.Label || to != step.To) {
				possible[text(l)] = true
			}
		}
	}
	for _, l := range a.Labels {
		switch {
		case len(a.Steps) > 0 && !taken[l.Text]:
			return fmt.Errorf("the arrow of steps %v has %s, which they do not take", a.Steps, l.Text)
		case a.Better && !possible[l.Text]:
			return fmt.Errorf("the better choice from %d to %d has %s, which no state of the run can take", a.From, a.To, l.Text)
		}
	}
	r.met["marked"]++
	return nil
}

var (
	numbersForm = regexp.MustCompile(`\d+(–\d+)?`)
	insideForm  = regexp.MustCompile(`^steps? ([\d–, …]+) stays? here$`)
	turnForm    = regexp.MustCompile(`^(lost|could be saved|could stay open) in (?:states? ([\d, and]+)|(\d+) states)$`)
	someForm    = regexp.MustCompile(`^(?:decides other runs|saved here|lost here|saved or lost here)(?: in (\d+) of (\d+))?$`)
	sizeForm    = regexp.MustCompile(`^(?:(\d+) states|(\d+) states, (\d+) deadlocks?|(\d+) deadlocks)$`)
)

// inside checks the steps that stay in a node.
func (r *quotientReader) inside(n *Node, shown map[int]int) error {
	said := n.InsideSteps()
	if said == "" {
		return nil
	}
	m := insideForm.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("not understood: %q", said)
	}
	r.met["stays inside"]++
	for _, text := range numbersForm.FindAllString(m[1], -1) {
		first, last, is := strings.Cut(text, "–")
		if !is {
			last = first
		}
		from, _ := strconv.Atoi(first)
		to, _ := strconv.Atoi(last)
		for number := from; number <= to; number++ {
			shown[number]++
			t := r.is.Run.Transitions[number-1]
			if r.block(t.From) != n.State || r.block(t.To) != n.State {
				return fmt.Errorf("step %d does not stay in state %s", number, n.Name)
			}
		}
	}
	return nil
}

// says checks the text of a node about decisions and neighbourhoods.
func (r *quotientReader) says(n *Node) error {
	members := r.q.States(n.State)
	said := n.DecisionText()
	var deciding []string
	for _, s := range members {
		for number := range r.is.Decides {
			if name := r.e.Name(s); r.is.Run.Transitions[number-1].From == s && !slices.Contains(deciding, name) {
				deciding = append(deciding, name)
			}
		}
	}
	if len(members) == 1 || said == "" {
		return wanted(len(deciding) == 0 || said != "", "the run decides in %v", deciding)
	}
	if m := turnForm.FindStringSubmatch(said); m != nil {
		named := numbersForm.FindAllString(m[2], -1)
		r.met[strings.Join(strings.Fields(m[0])[:2], " ")]++
		if m[1] == "lost" {
			from := r.e.Name(r.is.Run.Transitions[max(r.is.NoReturn, 1)-1].From)
			return wanted(r.is.NoReturn > 0 && slices.Equal(named, []string{from}), "it is lost in %s", from)
		}
		for _, name := range named {
			if !slices.Contains(deciding, name) {
				return fmt.Errorf("the run decides in %v", deciding)
			}
		}
		count, _ := strconv.Atoi(m[3])
		return wanted(len(named) > 0 && len(named) <= len(deciding) || count <= len(deciding) && count > 0, "the run decides in %v", deciding)
	}
	m := someForm.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("not understood")
	}
	count := 0
	for _, s := range members {
		if _, is := r.e.Classification().Kind(s); is {
			count++
		}
	}
	if m[1] != "" {
		r.met["neighbourhoods in some"]++
	}
	return wanted(m[1] == "" && count == len(members) || m[1] == fmt.Sprint(count) && m[2] == fmt.Sprint(len(members)), "%d of %d states are neighbourhoods", count, len(members))
}

// size checks how many states, and deadlocks among them, a node stands for.
func (r *quotientReader) size(n *Node) error {
	members := r.q.States(n.State)
	deadlocks := 0
	for _, s := range members {
		if r.e.LTS().IsDeadlock(s) {
			deadlocks++
		}
	}
	if len(members) == 1 {
		return wanted(n.Size() == "" && n.Deadlock == (deadlocks == 1), "it is a deadlock: %v", deadlocks == 1)
	}
	m := sizeForm.FindStringSubmatch(n.Size())
	if m == nil {
		return fmt.Errorf("not understood")
	}
	if m[2] != "" {
		r.met["states and deadlocks"]++
	}
	all, dead := m[1]+m[2]+m[4], m[3]+m[4]
	if dead == "" {
		dead = "0"
	}
	return wanted(all == fmt.Sprint(len(members)) && dead == fmt.Sprint(deadlocks), "it has %d states, %d deadlocks", len(members), deadlocks)
}

func wanted(is bool, format string, args ...any) error {
	if is {
		return nil
	}
	return fmt.Errorf(format, args...)
}
