package aut

import (
	"context"

	"github.com/inev-lts/inev/lts"
)

// finish compares the transitions read with the header, and builds the LTS.
func (d *decoder) finish(ctx context.Context) (*lts.LTS, []string, error) {
	if err := d.checkCount(); err != nil {
		return nil, nil, err
	}
	states, err := d.checkStates()
	if err != nil {
		return nil, nil, err
	}
	m, err := d.columns.lts(ctx, lts.State(d.header.initial), states, d.count, d.alphabet.Build(), d.Workers)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, d.fail(0, err.Error(), err)
	}
	return m, d.warnings, nil
}

// checkCount compares the number of transitions read with the declared one.
func (d *decoder) checkCount() error {
	declared := d.header.transitions
	if d.unfinishedLine > 0 {
		d.warn(d.unfinishedLine, "the file ends inside this transition, which is left out")
	}
	switch {
	case d.count < declared && d.Lenient:
		d.warn(d.line, "declared %d transitions, found %d: the file may be truncated", declared, d.count)
	case d.count < declared:
		return d.refuseStrictly(d.line, "declared %d transitions, found %d: the file looks truncated; fetch it again, or read it", declared, d.count)
	case d.count > declared && d.Lenient:
		d.warn(d.surplusLine, "declared %d transitions, found %d, the first beyond the declared number here", declared, d.count)
	}
	return nil
}

// refuseSurplus returns the error for more transitions than the header declares.
func (d *decoder) refuseSurplus() error {
	return d.refuseStrictly(d.surplusLine, "declared %d transitions, found more, the first of them here: correct the header, or read the file", d.header.transitions)
}

// checkStates returns the number of states of the LTS, and fails if the
// transitions do not justify it.
func (d *decoder) checkStates() (uint64, error) {
	states, beyond := d.header.states, d.beyond
	bound := accountedStates(d.count)
	if states > bound {
		return 0, d.refuse(0, "the header declares %d states, more than the %d that %d transitions account for (64 for each and 1000000 more): correct the header", states, bound, d.count)
	}
	if !beyond.some {
		return states, nil
	}
	if beyond.largest >= bound {
		return 0, d.refuse(beyond.largestLine, "state %d is far beyond the %d states that the header declares and the %d that %d transitions account for (64 for each and 1000000 more): correct it", beyond.largest, states, bound, d.count)
	}
	d.warn(beyond.firstLine, "state %d is not below %d, the declared number of states; the largest state found is %d, and the LTS has %d states", beyond.first, states, beyond.largest, beyond.largest+1)
	return beyond.largest + 1, nil
}
