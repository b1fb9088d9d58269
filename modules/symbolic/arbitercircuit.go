package symbolic

import (
	"fmt"

	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// ArbiterCircuit returns the synchronous arbiter with this number of cells as a circuit, correct or
// buggy, with a one-hot token, see [NewArbiter]. Its output exclusive is true if at most one cell
// acknowledges, and its bad state literal is the negation.
func ArbiterCircuit(cells int, buggy bool) (*aiger.Circuit, error) {
	if cells < 2 {
		return nil, fmt.Errorf("%d cells; an arbiter has at least 2", cells)
	}
	b := &aiger.Builder{}
	var requests, waiting, tokens []aiger.Literal
	for i := range cells {
		requests = append(requests, b.Input(fmt.Sprintf("request%d", i)))
		waiting = append(waiting, b.Latch(fmt.Sprintf("waiting%d", i), false))
		tokens = append(tokens, b.Latch(fmt.Sprintf("token%d", i), i == 0))
	}
	override := aiger.Literal(0)
	for i := range cells {
		b.Next(tokens[i], tokens[(i+cells-1)%cells])
		b.Next(waiting[i], b.And(requests[i], b.Or(waiting[i], tokens[i])))
		override = b.Or(override, b.And(waiting[i], tokens[i]))
	}
	grant := override ^ 1
	none := aiger.Literal(1)
	one := aiger.Literal(0)
	for i := range cells {
		urgent := b.And(waiting[i], tokens[i])
		if buggy {
			urgent = waiting[i]
		}
		ack := b.And(requests[i], b.Or(grant, urgent))
		b.Output(fmt.Sprintf("acknowledge%d", i), ack)
		one = b.Or(b.And(one, ack^1), b.And(none, ack))
		none = b.And(none, ack^1)
		grant = b.And(grant, requests[i]^1)
	}
	exclusive := b.Or(none, one)
	b.Output("exclusive", exclusive)
	b.Bad("twice", exclusive^1)
	return b.Circuit(), nil
}
