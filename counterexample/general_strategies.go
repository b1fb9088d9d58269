package counterexample

// byColour finds all loops by searches through few states: see [loopsThrough].
type byColour struct{ *loops }

func (x byColour) due(beginning) bool {
	return x.pair.Inf != 0 && x.bits <= mostTogether && !x.tried && x.work-x.sifted > x.looked
}

func (x byColour) take(beginning) (then, error) {
	x.tried = true
	part, most := x.part, fewSources
	if x.sieve != nil {
		part, most = x.sieve.left, max(fewSources, x.heads.Len()/fewer)
	}
	sources := x.sources(part, most)
	if sources == nil {
		return goOn, nil
	}
	x.did.through++
	err := x.through(sources, part)
	if x.bound >= x.best-1 {
		return allKnown, err
	}
	clear(x.heads) // nothing is left within the bound
	return goOn, err
}

func (byColour) skips(beginning) (bool, error) { return false, nil }

// muchTogether is how much more searches from many heads at once may cost than searches from one,
// until states are sifted: that costs several times as much as one search through all states,
// and more for each of the bounds that are tried.
const muchTogether = 8

// byLoopSieve leaves out states that are on no loop short enough: see [loopSieve].
type byLoopSieve struct{ *loops }

func (x byLoopSieve) due(at beginning) bool {
	spent, most := x.work-x.sifted, x.looked
	if x.bits <= mostTogether {
		most *= muchTogether
	}
	switch {
	case x.sieve == nil:
		return spent > most
	case at.most < x.sieve.bound:
		return spent > x.looked
	}
	return !x.sieve.narrowed && spent > most
}

func (x byLoopSieve) take(at beginning) (then, error) {
	if x.sieve == nil {
		if err := x.newSieve(); err != nil {
			return goOn, err
		}
	}
	if at.most < x.sieve.bound {
		some, err := x.sieve.sift(at.most)
		return ifSome(some), err
	}
	some, err := x.sieve.narrow(false)
	return ifSome(some), err
}

func ifSome(some bool) then {
	if some {
		return goOn
	}
	return allKnown
}

func (byLoopSieve) skips(beginning) (bool, error) { return false, nil }

// byLoopsTogether searches from many heads at once: see [loopsTogether].
type byLoopsTogether struct{ *loops }

func (byLoopsTogether) due(beginning) bool { return false }

func (byLoopsTogether) take(beginning) (then, error) { return goOn, nil }

func (x byLoopsTogether) skips(at beginning) (bool, error) {
	if x.bits > mostTogether || x.together == nil && x.work-x.sifted < x.looked {
		return false, nil
	}
	return x.inVain(at)
}
