// Command agency prints the LTS of the sanitary agency of SEFM 2018, Figure 6: a citizen who
// asks for help, the agency that decides on it, a cooperative that sends meals or a transport,
// and a bank. With -explicit the choice of the cooperative is an internal action of its own.
package main

import (
	"context"
	"flag"
	"log"
	"os"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("agency: ")
	var m model
	flag.BoolVar(&m.explicit, "explicit", false, "show the cooperative's choice as an action i")
	flag.Parse()
	l, err := generate(m)
	if err == nil {
		_, err = aut.Write(os.Stdout, l)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// message is a kind of message from one peer to another.
type message uint8

const (
	request message = iota
	askInformation
	provideInformation
	refusal
	acceptance
	treat
	transport
	meals
	transportProvided
	mealsProvided
	privateFee
	publicFee
	transportPaid
	mealsPaid
	done
	messages
)

// mail has the name of each message, and its receiver.
var mail = [messages]struct {
	name string
	to   peer
}{
	request:            {"REQUEST", agency},
	askInformation:     {"ASKINF", citizen},
	provideInformation: {"PROVINF", agency},
	refusal:            {"REFUSAL", citizen},
	acceptance:         {"ACCEPTANCE", citizen},
	treat:              {"REQ", cooperative},
	transport:          {"PROVT", citizen},
	meals:              {"PROVM", citizen},
	transportProvided:  {"RECMONEYPOSST", bank},
	mealsProvided:      {"RECMONEYPOSSM", bank},
	privateFee:         {"PAYMENTPRIVATEFEE", bank},
	publicFee:          {"PAYMENTPUBLICFEE", bank},
	transportPaid:      {"PAYMENTT", cooperative},
	mealsPaid:          {"PAYMENTM", cooperative},
	done:               {"DONE", agency},
}

// peer is a participant that exchanges messages with others.
type peer uint8

const (
	citizen peer = iota
	agency
	cooperative
	bank
	peers
)

// step is an action of a peer at one of its points, which leads to another point.
type step struct {
	from uint8
	do   deed
	message
	to uint8
}

type deed uint8

const (
	send deed = iota
	receive
	decide // the choice among several ways to continue, without a message
)

// behaviours are taken from Figure 6; each peer begins at point 0.
var behaviours = [peers][]step{
	citizen: {
		{0, send, request, 1},
		{1, receive, askInformation, 2},
		{2, send, provideInformation, 3},
		{3, receive, refusal, 7},
		{3, receive, acceptance, 4},
		{4, receive, transport, 5},
		{4, receive, meals, 5},
		{5, send, privateFee, 7},
	},
	agency: {
		{0, receive, request, 1},
		{1, send, askInformation, 2},
		{2, receive, provideInformation, 3},
		{3, send, refusal, 7},
		{3, send, acceptance, 4},
		{4, send, treat, 5},
		{5, send, publicFee, 6},
		{6, receive, done, 7},
	},
	cooperative: {
		{0, receive, treat, 1},
		{1, decide, transport, 2},
		{1, decide, meals, 5},
		{2, send, transport, 3},
		{3, send, transportProvided, 4},
		{4, receive, transportPaid, 8},
		{5, send, meals, 6},
		{6, send, mealsProvided, 7},
		{7, receive, mealsPaid, 8},
	},
	bank: {
		{0, receive, transportProvided, 1},
		{0, receive, mealsProvided, 5},
		{1, receive, privateFee, 2},
		{1, receive, publicFee, 3},
		{2, receive, publicFee, 4},
		{3, receive, privateFee, 4},
		{4, send, transportPaid, 9},
		{5, receive, privateFee, 6},
		{5, receive, publicFee, 7},
		{6, receive, publicFee, 8},
		{7, receive, privateFee, 8},
		{8, send, mealsPaid, 9},
		{9, send, done, 10},
	},
}

// room is the largest number of messages that wait for a peer, which receives
// them in any order.
const room = 2

// state has the point of each peer, and the messages that have been sent but not
// received. When nothing can happen any more, all states become one last state.
type state struct {
	at      [peers]uint8
	waiting messageSet
	last    bool
}

// messageSet is a set of messages: bit i is set if message i is in it.
type messageSet uint16

func (s messageSet) has(m message) bool           { return s>>m&1 != 0 }
func (s messageSet) with(m message) messageSet    { return s | 1<<m }
func (s messageSet) without(m message) messageSet { return s &^ (1 << m) }

// model is the variant of the model that is generated.
type model struct {
	explicit bool // whether the choice of the cooperative is an action i
}

func generate(m model) (*lts.LTS, error) {
	l, _, err := lts.Explore(context.Background(), state{}, m.successors, 0)
	return l, err
}

// successors calls do for each action of a state. If an action leads to a state without actions, do
// gets the one last state in its place.
func (m model) successors(s state, do func(label string, next state)) {
	m.actions(s, func(label string, next state) {
		if m.isStuck(next) {
			next = state{last: true}
		}
		do(label, next)
	})
}

// isStuck reports whether a state has no action.
func (m model) isStuck(s state) bool {
	stuck := true
	m.actions(s, func(string, state) { stuck = false })
	return stuck
}

// actions calls do for each action of a state. If decisions are no actions,
// they are taken silently right before an action of the cooperative or of
// another peer.
func (m model) actions(s state, do func(label string, next state)) {
	if s.last {
		return
	}
	for p := range peers {
		for _, a := range behaviours[p] {
			if a.from == s.at[p] {
				next := s
				next.at[p] = a.to
				m.take(a, s, next, do)
			}
		}
	}
}

// take calls do for a peer's action in a state, if the action is possible there. The peer has moved in next.
func (m model) take(a step, s, next state, do func(label string, next state)) {
	switch a.do {
	case send:
		if s.load(mail[a.message].to) < room {
			next.waiting = s.waiting.with(a.message)
			do(mail[a.message].name+"_EM", next)
		}
	case receive:
		if s.waiting.has(a.message) {
			next.waiting = s.waiting.without(a.message)
			do(mail[a.message].name+"_REC", next)
		}
	case decide:
		if m.explicit {
			do("i", next)
		} else {
			m.actions(next, do)
		}
	}
}

// load returns the number of messages that wait for a peer.
func (s state) load(p peer) int {
	n := 0
	for m := range messages {
		if s.waiting.has(m) && mail[m].to == p {
			n++
		}
	}
	return n
}
