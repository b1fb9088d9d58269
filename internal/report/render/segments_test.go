package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// drawBounded draws formulas, often about what happens again and again.
func drawBounded(r *rand.Rand) *randomlts.Linear {
	make := func(op string, parts ...*randomlts.Linear) *randomlts.Linear {
		return &randomlts.Linear{Op: op, Parts: parts}
	}
	p, q := randomlts.DrawLinear(r, 1), make("X", randomlts.DrawLinear(r, 1))
	switch r.IntN(4) {
	case 0:
		return make("G", make("F", make("&&", p, q)))
	case 1:
		return make("G", make("->", p, make("F", q)))
	case 2:
		return make("G", make("->", p, make("X", make("F", make("&&", q, randomlts.DrawLinear(r, 1))))))
	}
	return randomlts.DrawLinear(r, 2+r.IntN(3))
}

// satisfying evaluates a formula at the positions of the word that goes on at position loop forever.
func satisfying(f *randomlts.Linear, word string, loop int) uint64 {
	n := len(word)
	all := uint64(1)<<n - 1
	later := func(of uint64) uint64 { // at the position that follows
		return of>>1&^(1<<(n-1)) | of>>loop&1<<(n-1)
	}
	var a, b uint64
	if len(f.Parts) > 0 {
		a = satisfying(f.Parts[0], word, loop)
	}
	if len(f.Parts) > 1 {
		b = satisfying(f.Parts[1], word, loop)
	}
	until := func(a, b uint64) uint64 {
		for now := b; ; {
			next := b | a&later(now)
			if next == now {
				return now
			}
			now = next
		}
	}
	switch f.Op {
	case "!":
		return all &^ a
	case "X":
		return later(a)
	case "F":
		return until(all, a)
	case "G":
		return all &^ until(all, all&^a)
	case "U":
		return until(a, b)
	case "&&":
		return a & b
	case "||":
		return a | b
	case "->":
		return all&^a | b
	}
	var is uint64
	for i := range n {
		if word[i] == f.Op[0] {
			is |= 1 << i
		}
	}
	return is
}

// words are those over some letters, with least to most of them.
func words(letters string, least, most int) (all []string) {
	level := []string{""}
	for n := 0; n <= most; n++ {
		if n >= least {
			all = append(all, level...)
		}
		var next []string
		for _, w := range level {
			for _, l := range letters {
				next = append(next, w+string(l))
			}
		}
		level = next
	}
	return all
}

// mostNext is how often X stands in a formula at most: words that differ further on count as alike.
const mostNext = 3

// cutter cuts words into segments by the definition in docs/semantics.md, "Bounds".
type cutter struct {
	f *randomlts.Linear
	// stems and rounds tell words apart, and by returns loops come back.
	stems, rounds, returns []string
	classes                map[string]int  // by the lassos that may follow
	of                     map[string]int  // of words
	counted                map[string]bool // of class and loop
	first                  []string        // a word of each class
}

// newCutter cuts words over the letters that happen in a model, and C, which no formula mentions.
func newCutter(f *randomlts.Linear, letters string) *cutter {
	return &cutter{f: f, stems: words(letters, 0, mostNext+1), rounds: words(letters, 1, 2), returns: words(letters, 0, 4), classes: map[string]int{}, of: map[string]int{}, counted: map[string]bool{}}
}

func (c *cutter) satisfies(stem, round string) bool {
	return satisfying(c.f, stem+round, len(stem))&1 != 0
}

// class numbers the set of runs that may follow a word. It replaces the word by a shorter one of the same class,
// letter by letter.
func (c *cutter) class(u string) int {
	if of, known := c.of[u]; known {
		return of
	}
	short := u
	if u != "" {
		short = c.first[c.class(u[:len(u)-1])] + u[len(u)-1:]
	}
	var b strings.Builder
	for _, x := range c.stems {
		for _, y := range c.rounds {
			if c.satisfies(short+x, y) {
				b.WriteByte('1')
			} else {
				b.WriteByte('0')
			}
		}
	}
	of, known := c.classes[b.String()]
	if !known {
		of = len(c.first)
		c.classes[b.String()], c.first = of, append(c.first, short)
	}
	c.of[u] = of
	return of
}

// after returns the class behind a word from one.
func (c *cutter) after(class int, w string) int {
	for _, l := range w {
		class = c.class(c.first[class] + string(l))
	}
	return class
}

// counts reports whether each loop that begins with y satisfies the formula if it is gone round forever.
func (c *cutter) counts(class int, y string) bool {
	key := fmt.Sprint(class, y)
	counts, known := c.counted[key]
	if !known {
		counts = true
		for _, w := range c.returns {
			if y+w != "" && c.after(class, y+w) == class && !c.satisfies(c.first[class], y+w) {
				counts = false
				break
			}
		}
		c.counted[key] = counts
	}
	return counts
}

func (c *cutter) dead(class int) bool {
	for _, x := range c.stems {
		for _, y := range c.rounds {
			if c.satisfies(c.first[class]+x, y) {
				return false
			}
		}
	}
	return true
}

func (c *cutter) pending(class int) bool { return !c.counts(class, "") && !c.dead(class) }

// mostOfSegment is more than any segment of the models here has.
const mostOfSegment = 40

// bound goes through the segments of all runs.
func (c *cutter) bound(m *lts.LTS) (most, least int, some bool, err error) {
	type node struct {
		s     lts.State
		class int    // at its beginning
		word  string // since then
		in    bool   // a segment
	}
	start := c.class("")
	seen := map[node]bool{}
	var queue []node
	meet := func(n node) {
		if !seen[n] {
			seen[n] = true
			queue = append(queue, n)
		}
	}
	meet(node{m.Initial(), start, "", c.pending(start)})
	least = mostOfSegment
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		labels, targets := m.Out(n.s)
		for k, t := range targets {
			word := n.word + m.Alphabet().Text(labels.At(k))
			now := c.after(n.class, word)
			if !n.in {
				meet(node{t, now, "", c.pending(now)})
				continue
			}
			ends := !c.pending(now)
			for at := 0; at < len(word) && !ends; at++ {
				ends = c.after(n.class, word[:at]) == now && c.counts(now, word[at:])
			}
			if ends {
				some, most, least = true, max(most, len(word)), min(least, len(word))
				meet(node{t, now, "", c.pending(now)})
				continue
			}
			if len(word) > mostOfSegment || len(queue) > 100_000 {
				return 0, 0, false, fmt.Errorf("a segment goes on and on: %s", word)
			}
			meet(node{t, n.class, word, true})
		}
	}
	return most, least, some, nil
}

// recurs reports whether a condition is of a kind that has bounds.
func recurs(a property.Acceptance) bool {
	switch a.Operator() {
	case property.InfOp:
		return true
	case property.AndOp, property.OrOp:
		for _, p := range a.Parts() {
			if !recurs(p) {
				return false
			}
		}
		return true
	}
	return false
}

// TestBoundsAreThoseOfTheLanguage compares bounds with segments of all runs, cut by what words satisfy the formula.
func TestBoundsAreThoseOfTheLanguage(t *testing.T) {
	bounded, without, spoken := 0, 0, map[string]int{}
	for seed := range randomlts.Share(150) {
		r := rand.New(rand.NewPCG(seed, 61))
		f := drawBounded(r)
		text, cutters := f.String(), map[string]*cutter{}
		if strings.Count(text, "X") > mostNext {
			continue
		}
		g := parseAny(t, text)
		if joined, is := g.(interface{ Conjuncts() []property.Formula }); is && len(joined.Conjuncts()) > 1 {
			continue
		}
		for range 40 {
			m := randomlts.Forward(r)
			happening, err := m.Happening(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			var labels []lts.Label
			for l := range happening.All() {
				if happening.Happens(l) {
					labels = append(labels, l)
				}
			}
			p, _, err := g.Bind(context.Background(), happening.WithOther(labels))
			if err != nil {
				t.Fatal(err)
			}
			if !recurs(p.Acceptance()) {
				continue
			}
			e, err := explain.Explain(context.Background(), m, g, explain.Options{NoFairness: true, NoAdvice: true})
			if err != nil {
				t.Fatal(err)
			}
			if e.Reasons == nil || len(e.Reasons.Bounds) > 0 && e.Reasons.Bounds[0].Of == "" {
				continue // a chain has bounds of its steps
			}
			letters := ""
			for _, l := range "ABC" {
				if label, is := happening.Lookup(string(l)); l == 'C' || is && happening.Happens(label) {
					letters += string(l)
				}
			}
			if cutters[letters] == nil {
				cutters[letters] = newCutter(f, letters)
			}
			most, least, some, err := cutters[letters].bound(m)
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, text, err, texts(m))
			}
			found := e.Reasons.Bounds
			switch {
			case !some && len(found) == 0:
				without++
			case !some || len(found) != 1 || found[0].Most == nil || *found[0].Most != most || found[0].Least != least:
				got := fmt.Sprint(found)
				if len(found) == 1 && found[0].Most != nil {
					got = fmt.Sprint(found[0].Least, *found[0].Most)
				}
				t.Fatalf("seed %d, %s: bounds %s, and segments take %d to %d (%v)\n%s", seed, text, got, least, most, some, texts(m))
			default:
				bounded++
				_, sentence, _ := strings.Cut(render.NewSentences(e, printable.Code).Verdict(), ": ")
				if found[0].Overlaps {
					within := fmt.Sprintf("each time within at most %d actions", most)
					if most == 1 {
						within = "each time at once"
					}
					if sentence != "" && !strings.Contains(sentence, within) || e.Reasons.Slowest != nil {
						t.Fatalf("seed %d, %s: %q, and segments take %d to %d", seed, text, sentence, least, most)
					}
					spoken["overlaps"]++
					continue
				}
				name, said := readBound(strings.TrimSuffix(sentence, "."), property.Specification{})
				if name == "" || said.most != most || said.least != least {
					t.Fatalf("seed %d, %s: %q is read as %+v, and segments take %d to %d", seed, text, sentence, said, least, most)
				}
				spoken[name]++
				if s := e.Reasons.Slowest; s == nil || s.Length-s.Begins != most {
					t.Fatalf("seed %d, %s: the slowest run is %+v, and takes %d\n%s", seed, text, s, most, texts(m))
				}
			}
		}
	}
	if t.Log(bounded, without, spoken); randomlts.Whole() && (bounded < 225 || without < 300) {
		t.Errorf("%d bounds, and %d times none", bounded, without)
	}
}
