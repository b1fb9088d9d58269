package eventlog_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/inev-lts/inev/internal/counterexample/eventlog"
)

func ExampleReader() {
	table := "order,event\n7,REQ\n8,REQ\n7,ACK\n"
	r, err := eventlog.NewReader(context.Background(), strings.NewReader(table), eventlog.Options{Name: "log.csv", Field: "event", CaseField: "order"})
	if err != nil {
		log.Fatal(err)
	}
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Line, e.Case, e.Name)
	}
	// Output:
	// 2 7 REQ
	// 3 8 REQ
	// 4 7 ACK
}
