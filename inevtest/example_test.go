package inevtest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/inevtest"
)

// client sends a request, and sends it again when the answer does not come, a few times.
type client struct {
	phase string // idle, waiting, done or failed
	tries int
}

// mostTries is after how many the client gives up.
const mostTries = 3

// next is what can happen to the client: the network loses what it likes.
func (c client) next() []inevtest.Step[client] {
	switch {
	case c.phase == "idle":
		return []inevtest.Step[client]{inevtest.To("send", client{"waiting", 1})}
	case c.phase == "waiting" && c.tries < mostTries:
		return []inevtest.Step[client]{
			inevtest.To("answer", client{"done", 0}),
			inevtest.To("timeout", client{"waiting", c.tries + 1}),
		}
	case c.phase == "waiting":
		return []inevtest.Step[client]{inevtest.To("answer", client{"done", 0}), inevtest.To("give up", client{"failed", 0})}
	}
	return nil
}

// forgetful is a client that does not count how often it has tried.
func (c client) forgetful() []inevtest.Step[client] {
	steps := c.next()
	for i := range steps {
		if steps[i].To.phase == "waiting" {
			steps[i].To.tries = 1
		}
	}
	return steps
}

// TestClient is how a program is tested: whatever the network does, the caller hears of it, and
// soon.
func TestClient(t *testing.T) {
	m := inevtest.Explore(t, client{phase: "idle"}, client.next)
	inevtest.Holds(t, m, `Inev(send, {answer, "give up"})`)
	inevtest.Bound(t, m, `Inev({answer, "give up"})`, 1+mostTries)
	inevtest.Golden(t, m, "Inev(answer)", "testdata/answer.txt")
}

// TestForgetfulClient: one that does not count is forever without an answer unless the network
// is fair to it.
func TestForgetfulClient(t *testing.T) {
	m := inevtest.Explore(t, client{phase: "idle"}, client.forgetful)
	inevtest.Holds(t, m, "Inev(answer)", inevtest.Fair("weak:answer"))
	inevtest.Golden(t, m, "Inev(answer)", "testdata/forgetful.txt")
}

// printed is a test that shows the first line of what it says.
type printed struct{ testing.TB }

func (printed) Helper()                  {}
func (printed) Context() context.Context { return context.Background() }
func (printed) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func (printed) Errorf(format string, args ...any) {
	line, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
	fmt.Println(line)
}

func ExampleBound() {
	var t printed // in a test, what it is given
	m := inevtest.Explore(t, client{phase: "idle"}, client.next)
	inevtest.Bound(t, m, `Inev({answer, "give up"})`, mostTries)
	// Output:
	// inevtest: Inev({answer, "give up"}) holds, but it can take 4 transitions, more than 3
}
