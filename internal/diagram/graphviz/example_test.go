package graphviz_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/graphviz"
)

// Graphviz comes with the program: nothing has to be installed.
func ExampleEngine() {
	ctx := context.Background()
	engine := graphviz.New(1, "")
	defer engine.Close()
	plain, err := engine.Render(ctx, "digraph { REQ -> ACK }", "plain", "")
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range strings.Split(string(plain), "\n") {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == "edge" {
			fmt.Println(fields[1], "to", fields[2])
		}
	}
	// Output:
	// REQ to ACK
}
