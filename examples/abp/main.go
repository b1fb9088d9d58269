// Command abp prints the LTS of the alternating bit protocol over two media that
// lose and garble messages; the messages carry no data.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("abp: ")
	m, err := generate()
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// transmitter is the position of the transmitter in its program.
type transmitter uint8

const (
	accepting transmitter = iota
	sending
	awaiting
)

// receiver is the position of the receiver in its program.
type receiver uint8

const (
	listening receiver = iota
	delivering
	// confirming sends the expected bit, and repeating sends the other bit: the
	// acknowledgement of the last message received.
	confirming
	repeating
)

// A medium is a channel for one message. When a message leaves or is lost, the
// register keeps it until the next message overwrites it. Therefore the states
// before the first PUT differ from all later states.
type medium struct {
	full bool
	bit  int8
}

type state struct {
	transmitter      transmitter
	receiver         receiver
	sent, expected   int8
	medium1, medium2 medium
}

func generate() (*lts.LTS, error) {
	m, _, err := lts.Explore(context.Background(), state{}, successors, 0)
	return m, err
}

func successors(s state, do func(label string, next state)) {
	transmit(s, do)
	lose(s, do)
	receive(s, do)
}

// transmit calls do for the actions of the transmitter.
func transmit(s state, do func(string, state)) {
	next := s
	switch s.transmitter {
	case accepting:
		next.transmitter = sending
		do("PUT", next)
	case sending:
		if !s.medium1.full {
			next.transmitter, next.medium1 = awaiting, medium{true, s.sent}
			do(fmt.Sprint("SDT", s.sent), next)
		}
	case awaiting:
		next.transmitter = sending
		do("TIMEOUT", next)
		if s.medium2.full {
			next.medium2.full = false
			do("SACKE", next)
			if s.medium2.bit == s.sent {
				next.transmitter, next.sent = accepting, 1-s.sent
			}
			do(fmt.Sprint("SACK", s.medium2.bit), next)
		}
	}
}

// lose calls do for the internal actions of the media.
func lose(s state, do func(string, state)) {
	if s.medium1.full {
		next := s
		next.medium1.full = false
		do("LOSS", next)
	}
	if s.medium2.full {
		next := s
		next.medium2.full = false
		do("LOSS", next)
	}
}

// receive calls do for the actions of the receiver.
func receive(s state, do func(string, state)) {
	next := s
	switch s.receiver {
	case listening:
		// The receiver cannot know that nothing has been sent yet: its clock
		// runs from the beginning.
		next.receiver = repeating
		do("TIMEOUT", next)
		if s.medium1.full {
			next.medium1.full = false
			do("RDTE", next)
			if s.medium1.bit == s.expected {
				next.receiver = delivering
			}
			do(fmt.Sprint("RDT", s.medium1.bit), next)
		}
	case delivering:
		next.receiver = confirming
		do("GET", next)
	case confirming:
		next.expected = 1 - s.expected
		acknowledge(s.expected, next, do)
	case repeating:
		acknowledge(1-s.expected, next, do)
	}
}

// acknowledge puts an acknowledgement with this bit into the second medium once
// that is empty.
func acknowledge(bit int8, next state, do func(string, state)) {
	if !next.medium2.full {
		next.receiver, next.medium2 = listening, medium{true, bit}
		do(fmt.Sprint("RACK", bit), next)
	}
}
