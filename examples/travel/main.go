// Command travel prints the LTS of a composition of services that sells a
// journey: a client, a travel agency, a bank and a carrier.
package main

import (
	"context"
	"log"
	"os"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("travel: ")
	m, err := generate()
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A message travels between two services. Sending and receiving it are two
// actions; any time may pass between them.
type message uint8

const (
	request message = iota
	refusal
	acceptance
	payment
	receipt
	credit
	booking
	ticket
	voucher
	invoice
	transfer
)

var names = [...]string{
	request:    "REQUEST",
	refusal:    "REFUSAL",
	acceptance: "ACCEPTANCE",
	payment:    "PAYMENT",
	receipt:    "RECEIPT",
	credit:     "CREDIT",
	booking:    "BOOKING",
	ticket:     "TICKET",
	voucher:    "VOUCHER",
	invoice:    "INVOICE",
	transfer:   "TRANSFER",
}

// An action is one step of a service from one of its points to another.
type action struct {
	from    uint8
	do      direction
	message message
	to      uint8
}

type direction bool

const (
	send    direction = false
	receive direction = true
)

// A service is the list of its actions; it begins at point 0.
type service []action

var client = service{
	{0, send, request, 1},
	{1, receive, refusal, 5},
	{1, receive, acceptance, 2},
	{2, send, payment, 3},
	{3, receive, receipt, 4},
	{4, receive, ticket, 5},
	{4, receive, voucher, 5},
}

var agency = service{
	{0, receive, request, 1},
	{1, send, refusal, 6},
	{1, send, acceptance, 2},
	{2, send, booking, 3},
	{3, receive, invoice, 4},
	{4, receive, credit, 5},
	{5, send, transfer, 6},
}

var bank = service{
	{0, receive, payment, 1},
	{1, send, receipt, 2},
	{2, send, credit, 3},
	{3, receive, transfer, 4},
}

// carrier sends a voucher if the journey is sold out.
var carrier = service{
	{0, receive, booking, 1},
	{1, send, invoice, 2},
	{2, send, ticket, 3},
	{2, send, voucher, 3},
}

var services = [...]service{client, agency, bank, carrier}

type state struct {
	at       [len(services)]uint8
	underWay messageSet // what has been sent but not received
}

// messageSet is a set of messages: bit i is set if message i is in it.
type messageSet uint16

func (s messageSet) has(m message) bool           { return s>>m&1 != 0 }
func (s messageSet) with(m message) messageSet    { return s | 1<<m }
func (s messageSet) without(m message) messageSet { return s &^ (1 << m) }

func generate() (*lts.LTS, error) {
	m, _, err := lts.Explore(context.Background(), state{}, successors, 0)
	return m, err
}

// successors calls do for each action that is possible in a state.
func successors(s state, do func(label string, next state)) {
	for i, service := range services {
		for _, a := range service {
			waits := a.do == receive && !s.underWay.has(a.message)
			if a.from != s.at[i] || waits {
				continue
			}
			next := s
			next.at[i] = a.to
			if a.do == send {
				next.underWay = s.underWay.with(a.message)
				do(names[a.message]+"_EM", next)
			} else {
				next.underWay = s.underWay.without(a.message)
				do(names[a.message]+"_REC", next)
			}
		}
	}
}
