package explain

import (
	"bytes"
	"encoding/json"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/inev-lts/inev/internal/asjson"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// StepIndex is the index of a step of a counterexample. In data, as in words for people,
// steps are counted from 1.
type StepIndex int

// MarshalJSON returns the number of the step, counted from 1.
func (i StepIndex) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(i)+1, 10), nil }

// LoopStart is the index of the first step of a loop, in data, too; -1
// is null there.
type LoopStart int

// noLoopStart is the LoopStart of a run that ends.
const noLoopStart LoopStart = -1

// MarshalJSON returns the index, or null.
func (l LoopStart) MarshalJSON() ([]byte, error) {
	if l < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(l), 10), nil
}

// MarshalJSON returns an object with the size of the reachable part where it is known.
func (m Model) MarshalJSON() ([]byte, error) {
	if m.ReachableStates > 0 {
		type plain Model
		return asjson.Plain().Marshal(plain(m))
	}
	return asjson.Plain().Marshal(struct {
		File        string    `json:"file"`
		Initial     lts.State `json:"initial"`
		States      int       `json:"states"`
		Transitions int       `json:"transitions"`
		Labels      int       `json:"labels"`
	}{m.File, m.Initial, m.States, m.Transitions, m.Labels})
}

// MarshalJSON returns an object with the state and, as text, the words.
func (p Pending) MarshalJSON() ([]byte, error) {
	return asjson.Plain().Marshal(struct {
		State property.Q `json:"state"`
		Text  string     `json:"text"`
	}{p.State, p.Words.String()})
}

// number can be larger than what programs take for a number: in data it is a text.
type number struct{ *big.Int }

// MarshalJSON returns the phrase in one piece.
func (w Words) MarshalJSON() ([]byte, error) {
	return asjson.Plain().Marshal(property.Phrase(w).String())
}

// MarshalJSON returns the decimal digits as a text.
func (c number) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, c.String()), nil }

// Phases are the phases of a run, in their order.
type Phases []Phase

// Totals returns the phases with those of one name added up, in the order in which the
// names come first. Cost O(their number).
func (p Phases) Totals() Phases {
	var sums Phases
	at := map[string]int{}
	for _, phase := range p {
		i, known := at[phase.Name]
		if !known {
			i = len(sums)
			at[phase.Name] = i
			sums = append(sums, Phase{Name: phase.Name})
		}
		sums[i].Took += phase.Took
	}
	return sums
}

// MarshalJSON returns an object with the milliseconds that the phases of each name took.
func (p Phases) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, phase := range p.Totals() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, phase.Name), ':')
		b = strconv.AppendFloat(b, phase.Milliseconds(), 'f', -1, 64)
	}
	return append(b, '}'), nil
}

// Milliseconds returns the time in milliseconds, down to the microsecond.
func (p Phase) Milliseconds() float64 {
	return float64(p.Took.Round(time.Microsecond).Microseconds()) / 1000
}

// Fields yields the fields of the JSON of e, which follows [Schema], in their order, each
// with its value: all of a result of [Explain], and those of a result of [Check] that it
// computes. The neighbourhoods are a [*Neighbourhoods], for there can be millions.
func (e *Explanation) Fields() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		complete := e.Classes != nil
		for _, f := range []struct {
			name  string
			value any
			is    bool
		}{
			{"schema", Schema, true},
			{"model", e.Model, true},
			{"property", e.Property, true},
			{"verdict", e.Verdict, true},
			{"warnings", e.Warnings, true},
			{"diagnosis", e.Diagnosis, e.Counterexample != nil},
			{"conjuncts", e.Conjuncts, e.Conjuncts != nil},
			{"counterexample", e.Counterexample, true},
			{"all_shortest", e.All, e.All != nil},
			{"abstracted", e.Abstracted, complete},
			{"neighbourhood_reading", e.Reading, complete},
			{"classes", e.Classes, complete},
			{"neighbourhoods", e.found, complete},
			{"point_of_no_return", e.PointOfNoReturn, complete},
			{"decisions", e.Decisions, complete},
			{"exits", e.Exits, complete},
			{"way", e.Way, complete},
			{"loss", e.Loss, complete},
			{"holds", e.Holds, e.Holds != nil},
			{"faults", e.Faults, e.Faults != nil},
			{"fairness", e.Fairness, e.Fairness != nil},
			{"values", e.Values, e.Values != nil},
			{"repair", e.Repair, e.Repair != nil},
			{"necessity", e.Necessity, e.Necessity != nil},
			{"nearest_correct", e.Nearest, e.Nearest != nil},
			{"prevention", e.Prevention, e.Prevention != nil},
			{"folded", e.Folded, e.Folded != nil},
			{"pattern", e.patternText(), e.pattern != nil},
			{"timings_ms", e.Timings, true},
			{"stats", e.Cost, e.Cost != nil},
		} {
			if f.is && !yield(f.name, f.value) {
				return
			}
		}
	}
}

func (e *Explanation) patternText() string {
	if e.pattern == nil {
		return ""
	}
	return e.pattern.String()
}

// MarshalJSON returns what [Explanation.Fields] yields as one object. Cost O(size of e,
// with its neighbourhoods), in memory.
func (e *Explanation) MarshalJSON() ([]byte, error) {
	format := asjson.Plain()
	if e.IsUnfolded() {
		format = asjson.Named(e.Name)
	}
	var b bytes.Buffer
	for name, value := range e.Fields() {
		if found, is := value.(*Neighbourhoods); is {
			value = slices.Collect(found.WithPaths(PathLabels))
		}
		text, err := format.Marshal(value)
		if err != nil {
			return nil, err
		}
		b.WriteString(",")
		b.WriteString(strconv.Quote(name))
		b.WriteString(":")
		b.Write(text)
	}
	b.WriteByte('}')
	b.Bytes()[0] = '{'
	return b.Bytes(), nil
}

var _ json.Marshaler = (*Explanation)(nil)
