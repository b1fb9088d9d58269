// Command election prints the LTS of the leader election of Chang and Roberts on
// a ring of n stations.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("election: ")
	n := flag.Int("n", 3, "number of stations")
	lossy := flag.Bool("lossy", false, "the channels lose messages")
	flag.Parse()
	m, err := generate(*n, *lossy)
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// maxStations bounds the state so that it can be compared, and keeps every name
// a single digit.
const maxStations = 8

// none is the name of no station.
const none = -1

type state struct {
	candidate [maxStations]bool
	// channels[i] holds the names that station i has sent and the next station
	// has not received: a digit each, first in, first out.
	channels [maxStations]string
	leader   int
	over     bool
}

func generate(n int, lossy bool) (*lts.LTS, error) {
	if n < 2 || n > maxStations {
		return nil, fmt.Errorf("%d stations: the ring has 2 to %d", n, maxStations)
	}
	successors := func(s state, do func(string, state)) {
		for i := range n {
			start(s, i, do)
			// Names pass the stations in descending order: the worst case, in
			// which every name but the largest one travels as far as it can.
			receive(s, (i+1)%n, i, do)
			if lossy {
				lose(s, i, do)
			}
		}
		declare(s, do)
	}
	m, _, err := lts.Explore(context.Background(), state{leader: none}, successors, 0)
	return m, err
}

// start lets a station that has heard of no election call one.
func start(s state, i int, do func(string, state)) {
	if !s.candidate[i] {
		s.candidate[i] = true
		s.channels[i] += strconv.Itoa(i)
		do(fmt.Sprintf("START !%d", i), s)
	}
}

// receive lets station i take the next name from its predecessor. A larger name
// than its own is passed on, a smaller one is replaced by its own unless that
// has been sent before, and its own makes it the leader.
func receive(s state, predecessor, i int, do func(string, state)) {
	channel := s.channels[predecessor]
	if channel == "" {
		return
	}
	name := int(channel[0] - '0')
	s.channels[predecessor] = channel[1:]
	switch {
	case name > i:
		s.channels[i] += strconv.Itoa(name)
	case name == i:
		s.leader = i
	case !s.candidate[i]:
		s.channels[i] += strconv.Itoa(i)
	}
	s.candidate[i] = true
	do(fmt.Sprintf("RECEIVE !%d !%d", i, name), s)
}

func lose(s state, i int, do func(string, state)) {
	if channel := s.channels[i]; channel != "" {
		s.channels[i] = channel[1:]
		do(fmt.Sprintf("LOSE !%d !%c", i, channel[0]), s)
	}
}

// declare ends the election.
func declare(s state, do func(string, state)) {
	if s.leader != none && !s.over {
		s.over = true
		do(fmt.Sprintf("LEADER !%d", s.leader), s)
	}
}
