package replay

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/counterexample/eventlog"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// Log is a log in memory, case by case. It takes 8 bytes an event.
type Log struct {
	// Cases are in the order of their first events.
	Cases []*Case
	// LeftOut is the number of events that the renaming leaves out, Broken is the number of records
	// that could not be read, and Others is the number of records that were no events.
	LeftOut, Broken, Others int
	// Unused are the events that the renaming mentions but the log does not have, ascending.
	Unused []string

	names  []string // the names of events, by the numbers of the events
	number map[string]uint32
}

// Case is one logged run.
type Case struct {
	Name string
	// Backwards is the number of events that are earlier than the previous event. FirstBackwards is
	// the number of the first such event.
	Backwards, FirstBackwards int

	events, lines pagedlist.List[uint32]
	last          time.Time
}

// Len returns the number of events. Cost O(1).
func (c *Case) Len() int { return c.events.Len() }

// Line returns the line of an event, numbered from 1; 0 if it is not known. Cost O(1).
func (c *Case) Line(event int) int { return int(*c.lines.At(event - 1)) }

// Event returns the name of an event, numbered from 1. Cost O(1).
func (l *Log) Event(c *Case, event int) string { return l.names[*c.events.At(event - 1)] }

// Events returns the number of events of all cases. Cost O(cases).
func (l *Log) Events() int {
	n := 0
	for _, c := range l.Cases {
		n += c.Len()
	}
	return n
}

// mostEvents is the largest number of events of a case.
const mostEvents = math.MaxInt32

// Gather reads a log. The map rename has the labels of the model for events; events that it maps to
// "" are left out. All events without a case form one case. Gather fails with the errors of the
// reader, or if there is too little memory.
func Gather(ctx context.Context, r *eventlog.Reader, rename map[string]string) (*Log, error) {
	l := &Log{number: map[string]uint32{}}
	byName := map[string]*Case{}
	unused := map[string]bool{}
	for name := range rename {
		unused[name] = true
	}
	meter := progress.Start(ctx, "read the log", progress.Events, 0)
	for n := 0; ; n++ {
		if n&0xffff == 0xffff {
			meter.Add(1 << 16)
			if err := resources.AskFor[[2]uint32](ctx, 1<<16); err != nil {
				return nil, err
			}
		}
		event, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		label := event.Name
		newName, isRenamed := rename[event.Name]
		if isRenamed {
			delete(unused, event.Name)
			label = newName
		}
		if label == "" {
			l.LeftOut++
			continue
		}
		c := l.caseOf(event.Case, byName)
		if c.Len() == mostEvents {
			return nil, fmt.Errorf("the case %q has more than %d events", c.Name, mostEvents)
		}
		c.add(l.numberOf(label), event.Line, event.Time)
	}
	l.Broken = r.Broken()
	l.Others = r.Others()
	l.Unused = sorted(unused)
	if len(l.Cases) == 0 {
		l.Cases = []*Case{{}}
	}
	return l, nil
}

// caseOf returns the case of a name, and adds it to the log and to byName if it is new.
func (l *Log) caseOf(name string, byName map[string]*Case) *Case {
	c := byName[name]
	if c == nil {
		c = &Case{Name: name}
		byName[name] = c
		l.Cases = append(l.Cases, c)
	}
	return c
}

// numberOf returns the number of an event. An event that is new to the log gets a new number.
func (l *Log) numberOf(name string) uint32 {
	number, known := l.number[name]
	if !known {
		number = uint32(len(l.names))
		name = strings.Clone(name)
		l.names = append(l.names, name)
		l.number[name] = number
	}
	return number
}

// add adds an event with its line, and with its time if that is known.
func (c *Case) add(number uint32, line int, when time.Time) {
	c.events.Append(number)
	c.lines.Append(uint32(min(line, math.MaxUint32)))
	if when.IsZero() {
		return
	}
	if when.Before(c.last) {
		c.Backwards++
		if c.Backwards == 1 {
			c.FirstBackwards = c.Len()
		}
	}
	c.last = when
}
