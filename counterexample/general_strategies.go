package counterexample

// byLoopSieve leaves out states that are on no loop short enough: see [loopSieve].
type byLoopSieve struct{ *loops }

func (x byLoopSieve) due(at beginning) bool {
	return x.work-x.sifted > x.looked && (x.sieve == nil || at.most < x.sieve.bound)
}

func (x byLoopSieve) take(at beginning) (then, error) {
	if x.sieve == nil {
		if err := x.newSieve(); err != nil {
			return goOn, err
		}
		some, err := x.sieve.narrow(false)
		return ifSome(some), err
	}
	some, err := x.sieve.sift(at.most)
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
	if x.sieve == nil || x.bits > mostTogether || x.together == nil && x.work-x.sifted <= x.looked {
		return false, nil
	}
	return x.inVain(at)
}
