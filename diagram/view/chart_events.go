package view

import (
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/rows"
)

// margin is the number of rows that are kept before and after each important row.
const margin = 2

// match finds the lanes of each step, and the sending of each receipt. It assumes that messages
// with the same receipt are received in the order in which they are sent, since the run does not
// show their order.
func (p *plot) match() {
	steps := p.e.Counterexample.Steps
	p.routes, p.peers = make([]Route, len(steps)), make([]int, len(steps))
	known := map[string]Route{}
	senders := p.lanes.receipts()
	sent := map[string][]int{} // steps whose message is still on its way, by the receipt
	strays := map[string]bool{}
	for i := range steps {
		label := steps[i].Label
		r, seen := known[label]
		if !seen {
			var in bool
			if r, in = p.lanes.Of(label); !in && !isReceipt(senders, label) {
				strays[label] = true
				p.stray = append(p.stray, label)
			}
			known[label] = r
		}
		p.routes[i], p.peers[i] = r, -1
		if r.Receipt != "" {
			sent[r.Receipt] = append(sent[r.Receipt], i)
			continue
		}
		for _, key := range keysOf(label) {
			if waiting := sent[key]; len(waiting) > 0 {
				from := waiting[0]
				sent[key] = waiting[1:]
				p.peers[i], p.peers[from] = from, i
				p.routes[i] = Route{From: p.routes[from].From, To: p.routes[from].To}
				break
			} else if lane, is := senders[key]; is && r.From == "" {
				p.routes[i] = Route{From: lane, To: lane} // of something that was never sent
			}
		}
	}
}

// receipts maps each label that receives a message to the lane that receives it.
func (l *Lanes) receipts() map[string]string {
	all := map[string]string{}
	for _, line := range l.routes {
		if line.Receipt != "" {
			all[line.Receipt] = line.To
		}
	}
	return all
}

// keysOf returns the names by which a table can refer to a label: the label itself and its gate.
func keysOf(label string) []string {
	if gate, has := actl.GateOf(label); has && gate != label {
		return []string{label, gate}
	}
	return []string{label}
}

func isReceipt(senders map[string]string, label string) bool {
	return slices.ContainsFunc(keysOf(label), func(key string) bool { _, is := senders[key]; return is })
}

// events divides the steps into events.
func (p *plot) events() {
	c := p.e.Counterexample
	all := rows.Of(len(c.Steps), func(i int) string { return c.Steps[i].Label }, rows.Options{
		Loop: int(c.LoopStart), Full: p.o.Full, Hides: rows.Matching(p.o.Hide),
		Eventful: func(i int) bool { return p.remarks[i] != nil || p.peers[i] >= 0 },
	})
	if !p.o.Full {
		all = p.bounded(all)
	}
	at := make(map[int]int, len(all)) // by step: the event of a step that is shown alone
	for _, row := range all {
		at[row.First] = len(p.chart.Events)
		p.chart.Events = append(p.chart.Events, p.event(row))
	}
	for i := range p.chart.Events {
		v := &p.chart.Events[i]
		v.Peer = -1
		if v.Kind != Sending && v.Kind != Receipt || v.Other == 0 {
			continue
		}
		if peer, shown := at[v.Other-1]; shown {
			if other := p.chart.Events[peer]; other.Kind == Sending || other.Kind == Receipt {
				v.Peer = peer
			}
		}
	}
}

// event returns the event of a row.
func (p *plot) event(row rows.Row) Event {
	steps := p.e.Counterexample.Steps
	first, last := &steps[row.First], &steps[row.End-1]
	v := Event{First: row.First + 1, Last: row.End, Leaves: p.e.Name(first.From), Enters: p.e.Name(last.To)}
	if row.Kind == rows.Hidden || row.Kind == rows.LeftOut {
		v.Kind, v.Hidden = Unshown, row.Kind == rows.Hidden
		for i := row.First; i < row.End; i++ {
			if about := p.remarks[i]; about != nil && about.decision != nil {
				v.Decisions++
			}
		}
		return v
	}
	r := p.routes[row.First]
	v.Label, v.From, v.To = first.Label, p.lane(r.From), p.lane(r.To)
	switch {
	case r.Receipt != "":
		v.Kind = Sending
		v.Other = p.peers[row.First] + 1
		v.Again = v.Other == 0 && p.receivesAgain(r.Receipt)
	case p.peers[row.First] >= 0:
		v.Kind, v.Other = Receipt, p.peers[row.First]+1
	case v.From != v.To:
		v.Kind = Message
	}
	if about := p.remarks[row.First]; about != nil {
		v.Decision, v.Remarks, v.NoReturn = about.decision, about.achieved, about.noReturn
	}
	return v
}

// receivesAgain reports whether the loop has a receipt by this label, so that a message under way
// at the end of the first round is received in a later one.
func (p *plot) receivesAgain(receipt string) bool {
	c := p.e.Counterexample
	if c.LoopStart < 0 {
		return false
	}
	return slices.ContainsFunc(c.Steps[c.LoopStart:], func(s explain.Step) bool { return slices.Contains(keysOf(s.Label), receipt) })
}

// frame finds the events of the loop.
func (p *plot) frame() {
	start := int(p.e.Counterexample.LoopStart)
	if start < 0 {
		return
	}
	for i := range p.chart.Events {
		if p.chart.Events[i].First == start+1 {
			p.chart.Loop = &Frame{i, len(p.chart.Events) - 1}
		}
	}
}

// bounded leaves out rows if there are too many for a chart. It keeps those at both ends, at the
// beginning of the loop and at the point of no return, and as many decisions as fit.
func (p *plot) bounded(all []rows.Row) []rows.Row {
	if len(all) <= maxChartRows {
		return all
	}
	keep := make([]bool, len(all))
	kept := 0
	around := func(at, before, after int) {
		for i := max(0, at-before); i <= min(len(all)-1, at+after); i++ {
			if !keep[i] {
				keep[i] = true
				kept++
			}
		}
	}
	around(0, 0, margin*2)
	around(len(all)-1, margin*2, 0)
	for i, row := range all {
		about := p.remarks[row.First]
		if row.First == int(p.e.Counterexample.LoopStart) || about != nil && about.noReturn {
			around(i, margin, margin)
		}
	}
	for i, row := range all {
		if p.remarks[row.First] != nil && kept < maxChartRows/2 {
			around(i, 0, 0)
		}
	}
	var shown []rows.Row
	for i := 0; i < len(all); i++ {
		from := i
		for i < len(all) && !keep[i] {
			i++
		}
		if i > from {
			shown = append(shown, rows.Row{First: all[from].First, End: all[i-1].End, Kind: rows.LeftOut})
		}
		if i < len(all) {
			shown = append(shown, all[i])
		}
	}
	return shown
}
