package counterexample

// The halves of the questions, for tests that compare them.
var (
	Search            = search
	AllOfChain        = allOfChain
	ContainingOfChain = containingOfChain
	BadPrefix         = badPrefix
	InUnfolding       = inUnfolding
	SearchProduct     = inProduct
)
