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
	var r ring
	flag.IntVar(&r.stations, "n", 3, "number of stations")
	flag.BoolVar(&r.lossy, "lossy", false, "the channels lose messages")
	flag.Parse()
	m, err := generate(r)
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// maxStations makes the size of a state constant, so that states can be compared,
// and every name a single digit.
const maxStations = 8

// none means that there is no station.
const none = -1

type state struct {
	candidate [maxStations]bool
	// channels[i] has the names that station i has sent and the next station has
	// not received, a digit each, in their order.
	channels [maxStations]string
	leader   int
	over     bool
}

// ring is the ring of the model.
type ring struct {
	stations int
	lossy    bool // whether the channels lose messages
}

func generate(r ring) (*lts.LTS, error) {
	n := r.stations
	if n < 2 || n > maxStations {
		return nil, fmt.Errorf("%d stations: the ring has 2 to %d", n, maxStations)
	}
	successors := func(s state, do func(string, state)) {
		for i := range n {
			start(s, i, do)
			// Names are in descending order along the ring. That is the worst
			// case, in which every name but the largest one travels as far as it
			// can.
			receive(s, (i+1)%n, i, do)
			if r.lossy {
				lose(s, i, do)
			}
		}
		declare(s, do)
	}
	m, _, err := lts.Explore(context.Background(), state{leader: none}, successors, 0)
	return m, err
}

// start calls do if station i, which has heard of no election, can call one.
func start(s state, i int, do func(string, state)) {
	if !s.candidate[i] {
		s.candidate[i] = true
		s.channels[i] += strconv.Itoa(i)
		do(fmt.Sprintf("START !%d", i), s)
	}
}

// receive calls do if station i can receive a name from its predecessor. The
// station passes on a name larger than its own, and replaces a smaller name by
// its own unless it is a candidate already; its own name makes it the leader.
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

// lose calls do if the channel of station i can lose a message.
func lose(s state, i int, do func(string, state)) {
	if channel := s.channels[i]; channel != "" {
		s.channels[i] = channel[1:]
		do(fmt.Sprintf("LOSE !%d !%c", i, channel[0]), s)
	}
}

// declare calls do if the election can end.
func declare(s state, do func(string, state)) {
	if s.leader != none && !s.over {
		s.over = true
		do(fmt.Sprintf("LEADER !%d", s.leader), s)
	}
}
