package modal

import (
	"context"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
)

// mostAlternations is the largest alternation depth of a formula that is evaluated.
const mostAlternations = 6

// Graph returns the graph of a formula, which may be any formula of the modal mu-calculus without data.
// It fails if a variable occurs under an odd number of negations, or if fixpoints alternate more than
// 6 deep. Other errors and cost are as for [Parse].
func Graph(ctx context.Context, text string) (*mucalculus.Formula, error) {
	w, err := Read(ctx, text)
	if err != nil {
		return nil, err
	}
	f, _, err := w.Graph(ctx, nil)
	return f, err
}

// Written is a formula of the modal mu-calculus as its author wrote it. It is immutable.
type Written struct {
	p     *parser
	root  *state
	plain *mucalculus.Formula // nil for a formula with data
}

// Read reads a formula as [Graph] does. The formula may have data.
func Read(ctx context.Context, text string) (_ *Written, err error) {
	defer abort.Caught(&err)
	p, root, err := parse(ctx, text)
	if err != nil {
		return nil, err
	}
	w := &Written{p: p, root: root}
	if p.hasData {
		form := p.clone()
		_, err = form.graph(form.withoutData(root).orTrue(root), p.textOf(root))
		return w, err
	}
	w.plain, err = p.graph(p.simplified(root), p.textOf(root))
	return w, err
}

// orTrue returns f or, if f is nil, the formula true at the position of at.
func (f *state) orTrue(at *state) *state {
	if f == nil {
		return at.with(trueOp)
	}
	return f
}

// HasData reports whether the formula has data, so that its graph depends on the labels of a model.
func (w *Written) HasData() bool { return w.plain == nil }

// String returns the formula on one line.
func (w *Written) String() string { return w.p.declaring(w.p.textOf(w.root)) }

// Unmatched is as for [mucalculus.Formula].
func (w *Written) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	if !w.HasData() {
		return w.plain.Unmatched(ctx, a)
	}
	return w.p.unmatched(ctx, a)
}

// namedPatterns returns the patterns of labels in a formula with data that should match some label.
func (p *parser) namedPatterns() []actl.Pattern {
	return append(p.gatePatterns(), p.atoms.All...)
}

// Graph returns the graph of the formula. It expands data for the labels of a model; a formula without
// data needs no alphabet. The note says what the data was expanded to, and is "" if there is nothing to
// say. Graph refuses data that cannot be expanded to a finite formula. Cost O(size of the expanded
// formula · labels).
func (w *Written) Graph(
	ctx context.Context,
	a *lts.Alphabet,
) (f *mucalculus.Formula, note string, err error) {
	if !w.HasData() {
		return w.plain, "", nil
	}
	if a == nil {
		return nil, "", w.root.at.refused("a formula without data",
			"data needs the labels of a model")
	}
	return w.graphFor(ctx, a, nil)
}

// HasParameters reports whether the formula has a fixpoint with parameters.
func (w *Written) HasParameters() bool { return w.root.hasParameters() }

// ReachedGraph is Graph for a question about some states of a model. It expands the fixpoints only for those
// values of their parameters to which runs from these states lead: they may be finitely many where the
// formula alone has no bound. The alphabet is that of the model. Cost O(transitions) for each modality and
// each time that the states of an instance of a fixpoint grow.
func (w *Written) ReachedGraph(
	ctx context.Context,
	m *lts.LTS,
	a *lts.Alphabet,
	asked []lts.State,
) (*mucalculus.Formula, string, error) {
	return w.graphFor(ctx, a, &askedStates{model: m, states: asked})
}

// graphFor returns the graph of a formula with data.
func (w *Written) graphFor(
	ctx context.Context,
	a *lts.Alphabet,
	asked *askedStates,
) (f *mucalculus.Formula, note string, err error) {
	q, root, note, err := w.p.writtenOut(ctx, w.root, a, asked)
	if err != nil {
		return nil, "", err
	}
	if !q.hasInstances {
		root = q.simplified(root)
	}
	f, err = q.graph(root, w.String())
	return f, note, err
}

// graph returns the graph of a formula, with a text for it.
func (p *parser) graph(root *state, text string) (_ *mucalculus.Formula, err error) {
	defer abort.Caught(&err)
	t := &translation{parser: p, bound: map[string]binding{}}
	first := t.translate(root, false)
	var atoms intern.List[string, actl.Pattern]
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.Action == nil {
			continue
		}
		n.Action = p.folded(p.ctx, n.Action).Substituted(func(atom int) *temporal.Formula {
			pattern := p.atoms.All[atom]
			return temporal.Atom(atoms.Index(pattern.String(), pattern))
		})
	}
	for _, pattern := range p.apart {
		atoms.Index(pattern.String(), pattern)
	}
	f := mucalculus.New(text, first, t.nodes, atoms.All)
	if f.Depth() > mostAlternations {
		refuse(t.deepest(f), "fixpoints that alternate at most %d deep, and not %d",
			mostAlternations, f.Depth())
	}
	return f, p.ctx.Err()
}

// translation translates a formula into a graph.
type translation struct {
	*parser
	nodes []mucalculus.Node
	at    []token // the token at which each node begins
	// atomNames are the texts of the atoms for readers.
	atomNames []string
	bound     map[string]binding
}

// binding is what a variable stands for.
type binding struct {
	node    int
	negated bool
}

func (t *translation) add(at token, n mucalculus.Node) int {
	t.nodes = append(t.nodes, n)
	t.at = append(t.at, at)
	return len(t.nodes) - 1
}

// translate returns the node of a formula, or of its negation.
func (t *translation) translate(f *state, negated bool) int {
	switch f.op {
	case notOp:
		return t.translate(f.parts[0], !negated)
	case variableOp:
		return t.variable(f, negated)
	}
	n := mucalculus.Node{Negated: negated, Text: t.textOf(f)}
	switch f.op {
	case trueOp, falseOp:
		n.All = (f.op == trueOp) != negated
		return t.add(f.at, n)
	case andOp, orOp:
		n.All = (f.op == andOp) != negated
		i := t.add(f.at, n)
		for _, part := range f.parts {
			below := t.translate(part, negated)
			t.nodes[i].Parts = append(t.nodes[i].Parts, below)
		}
		return i
	case boxOp, diamondOp:
		m := &modality{
			token:    f.at,
			negated:  negated,
			isBox:    f.op == boxOp,
			brackets: "<>",
		}
		if m.isBox {
			m.brackets = "[]"
		}
		continuation := rest{
			node: t.translate(f.parts[0], negated),
			text: t.operandText(f.parts[0]),
		}
		return t.after(m, f.run, continuation, n.Text).node
	}
	return t.fixpoint(f, n)
}

// fixpoint adds the node of a fixpoint, or of its negation.
func (t *translation) fixpoint(f *state, n mucalculus.Node) int {
	n.Kind = mucalculus.Fixpoint
	n.All = (f.op == nuOp) != n.Negated
	i := t.add(f.at, n)
	outer, shadows := t.bound[f.name]
	t.bound[f.name] = binding{node: i, negated: n.Negated}
	t.nodes[i].Parts = []int{t.translate(f.parts[0], n.Negated)}
	switch {
	case f.isInstance: // others may refer to it
	case shadows:
		t.bound[f.name] = outer
	default:
		delete(t.bound, f.name)
	}
	return i
}

// variable returns the node of the fixpoint that a variable refers to, or of its negation.
func (t *translation) variable(f *state, negated bool) int {
	bound, isBound := t.bound[f.name]
	if !isBound {
		return t.translate(f.definition, negated)
	}
	if bound.negated != negated {
		refuse(f.at, "a fixpoint variable under an even number of negations")
	}
	return bound.node
}

// operandText returns the text of the formula after a modality.
func (t *translation) operandText(f *state) string {
	text := t.textOf(f)
	if f.isJoined || f.text != "" {
		return "(" + text + ")"
	}
	return text
}

// modality is a modality with a regular expression, while it is being translated.
type modality struct {
	token
	negated, isBox bool
	brackets       string
}

// rest is the formula after a part of the regular expression of a modality.
type rest struct {
	node int
	text string
}

// node returns a node of the modality.
func (m *modality) node(text string, parts ...int) mucalculus.Node {
	return mucalculus.Node{
		All:     m.isBox != m.negated,
		Negated: m.negated,
		Text:    text,
		Parts:   parts,
	}
}

// after returns the formula of modality m with the regular expression r and the formula behind after
// it. If text is "", after makes the text.
func (t *translation) after(m *modality, r *regular, continuation rest, text string) rest {
	if r.shape == nothing {
		return continuation
	}
	if text == "" {
		text = m.brackets[:1] + t.runText(r) + m.brackets[1:] + " " + continuation.text
	}
	switch r.shape {
	case single:
		n := m.node(text, continuation.node)
		n.Kind = mucalculus.Modality
		n.Action = r.action
		return rest{node: t.add(r.at, n), text: text}
	case sequence:
		return t.after(m, r.parts[0], t.after(m, r.parts[1], continuation, ""), text)
	case choice:
		left := t.after(m, r.parts[0], continuation, "")
		right := t.after(m, r.parts[1], continuation, "")
		return rest{node: t.add(r.at, m.node(text, left.node, right.node)), text: text}
	case perhaps:
		once := t.after(m, r.parts[0], continuation, "")
		return rest{node: t.add(r.at, m.node(text, continuation.node, once.node)), text: text}
	}
	// R* is a fixpoint: either the formula after the modality, or another round.
	loop := m.node(text)
	loop.Kind = mucalculus.Fixpoint
	first := rest{node: t.add(r.at, loop), text: text}
	round := t.after(m, r.parts[0], first, text)
	body := t.add(r.at, m.node(text, continuation.node, round.node))
	t.nodes[first.node].Parts = []int{body}
	if r.shape == plus {
		return round
	}
	return first
}

// signsOf are the operators of regular expressions in MCL and in mCRL2.
var signsOf = map[shape][2]string{
	sequence: {" . ", " . "},
	choice:   {" | ", " + "},
	star:     {"*", "*"},
	plus:     {"+", "+"},
	perhaps:  {"?", "?"},
}

// runText returns a regular expression as an author would write it.
func (t *translation) runText(r *regular) string {
	switch r.shape {
	case single:
		return r.action.Text(t.names())
	case nothing:
		return "nil"
	}
	sign := signsOf[r.shape][1]
	if t.isMCL {
		sign = signsOf[r.shape][0]
	}
	var parts []string
	for _, part := range r.parts {
		text := t.runText(part)
		isSimple := part.shape == sequence && r.shape == sequence ||
			part.shape == single &&
				(part.action.Operator() == temporal.AtomOp ||
					part.action.Operator() == temporal.TrueOp)
		if !isSimple {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	if len(parts) == 1 {
		return parts[0] + sign
	}
	return strings.Join(parts, sign)
}

// names returns the texts of the atoms, in mCRL2 without quotes.
func (t *translation) names() []string {
	if len(t.atomNames) < len(t.atoms.All) {
		t.atomNames = nil
		for _, pattern := range t.atoms.All {
			name := withAnyOffers(pattern.String())
			if !t.isMCL {
				name = strings.Trim(name, `"`)
			}
			t.atomNames = append(t.atomNames, name)
		}
	}
	return t.atomNames
}

// deepest returns the position of the fixpoint with the highest priority.
func (t *translation) deepest(f *mucalculus.Formula) token {
	largest := 0
	for i := range t.nodes {
		if f.Node(i).Priority > f.Node(largest).Priority {
			largest = i
		}
	}
	return t.at[largest]
}
