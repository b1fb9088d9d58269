package wmc

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/lts"
)

// schemaName is the name and version of the format that [Question.WriteJSON] writes.
const schemaName = "inev.ctl/1"

// Question is the question that an answer is for.
type Question struct {
	Model    *lts.LTS
	Formula  string
	Internal []string // patterns of hidden labels
}

// WriteJSON writes an answer with its evidence, for internal/ctl/wmc/verify and for other programs. It
// writes an object with the members schema, model, formula, formulas (of the closure; the evidence
// refers to them by number), internal, holds, good, bad and evidence. A set of states in the evidence
// is a list of numbers and of pairs; a pair has the first and the last of consecutive numbers. Cost
// O(size of the evidence).
func (q Question) WriteJSON(w io.Writer, a *Answer[States]) error {
	b := bufio.NewWriterSize(w, 64<<10)
	j := &writer{b: b}
	j.text("{\n  \"schema\": " + quoted(schemaName))
	states, transitions, initial := q.Model.Total()
	j.text(",\n  \"model\": {\"initial\": " + strconv.Itoa(int(q.Model.Initial())) + ", \"states\": " + strconv.Itoa(states) +
		", \"transitions\": " + strconv.Itoa(transitions))
	if initial > 0 {
		j.text(", \"initial_states\": " + strconv.Itoa(initial))
	}
	j.text("}")
	j.text(",\n  \"formula\": " + quoted(q.Formula))
	j.text(",\n  \"formulas\": ")
	list(j, a.Closure.Nodes, ", ", func(n syntax.Node) {
		j.text(quoted(n.Formula.String()))
	})
	j.text(",\n  \"internal\": ")
	list(j, q.Internal, ", ", func(pattern string) { j.text(quoted(pattern)) })
	j.text(",\n  \"holds\": " + strconv.FormatBool(len(a.Bad) == 0))
	j.text(",\n  \"good\": ")
	list(j, a.Good, ", ", j.state)
	j.text(",\n  \"bad\": ")
	list(j, a.Bad, ", ", j.state)
	j.text(",\n  \"evidence\": ")
	j.node(a.Root, "\n    ")
	j.text("\n}\n")
	return b.Flush()
}

// quoted returns a text as JSON. Bytes that are no UTF-8 are replaced.
func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// writer writes evidence. The buffer keeps errors until it is flushed.
type writer struct {
	b      *bufio.Writer
	digits [24]byte
}

func (j *writer) text(s string) { _, _ = j.b.WriteString(s) }

func (j *writer) state(s lts.State) {
	_, _ = j.b.Write(strconv.AppendUint(j.digits[:0], uint64(s), 10))
}

// list writes elements one by one.
func list[E any](j *writer, all []E, separator string, write func(E)) {
	j.text("[")
	for i, one := range all {
		if i > 0 {
			j.text(separator)
		}
		write(one)
	}
	j.text("]")
}

// set writes rows of more than two consecutive states as pairs.
func (j *writer) set(s States) {
	j.text("[")
	for i := 0; i < len(s); {
		end := i + 1 // the end of the row of consecutive states that begins with s[i]
		for end < len(s) && s[end] == s[end-1]+1 {
			end++
		}
		if i > 0 {
			j.text(",")
		}
		if end-i > 2 {
			list(j, []lts.State{s[i], s[end-1]}, ",", j.state)
			i = end
		} else {
			j.state(s[i])
			i++
		}
	}
	j.text("]")
}

// member writes a set as a member of an object.
func (j *writer) member(name string, s States) {
	j.text(", \"" + name + "\": ")
	j.set(s)
}

// node writes a node. Each line of the node begins with line.
func (j *writer) node(n *Node[States], line string) {
	if n == nil {
		j.text("null")
		return
	}
	j.text("{\"formula\": ")
	j.text(strconv.Itoa(int(n.Formula)))
	j.member("asked", n.Asked)
	j.member("good", n.Good)
	j.member("bad", n.Bad)
	j.child(line, "left", n.Left)
	j.child(line, "right", n.Right)
	if n.Unfolding != nil {
		j.unfolding(n.Unfolding, line)
	}
	j.text("}")
}

// unfolding writes the members of a node about runs.
func (j *writer) unfolding(u *Unfolding[States], line string) {
	j.text(", \"early\": " + strconv.FormatBool(u.Early))
	j.member("visited", u.Visited)
	j.member("q", u.Q)
	j.member("p", u.P)
	j.member("holds", u.Holds)
	j.member("fails", u.Fails)
	j.text(", \"ranks\": ")
	list(j, u.Ranks, ", ", j.set)
	j.text(", \"frontiers\": ")
	list(j, u.Frontiers, ",", func(f Frontier[States]) {
		j.text(line + "{\"reached\": ")
		j.set(f.Reached)
		j.child(line+"  ", "left", f.Left)
		j.child(line+"  ", "right", f.Right)
		j.text("}")
	})
}

// child writes a node as a member of another node; nothing for nil.
func (j *writer) child(line, name string, n *Node[States]) {
	if n != nil {
		j.text("," + line + "\"" + name + "\": ")
		j.node(n, line+"  ")
	}
}
