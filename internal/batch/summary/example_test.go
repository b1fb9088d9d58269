package summary_test

import (
	"log"
	"os"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/summary"
)

func ExampleBatch_Markdown() {
	err := summary.Batch{
		Manifest: "nightly.yaml",
		NoLinks:  true,
		Results: []batch.Result{
			{Job: batch.Job{Name: "answered", Model: "service.aut", Formula: "Inev(REQ, ACK)"}, Status: batch.Satisfied},
		},
	}.Markdown(os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// ## inev: The property is satisfied
	//
	// | jobs | ✓ satisfied | ✗ violated | unexpected |
	// | ---: | ---: | ---: | ---: |
	// | 1 | 1 | 0 | 0 |
	//
	// <details><summary>Satisfied (1)</summary>
	//
	// | job | verdict | details |
	// | --- | --- | --- |
	// | `answered`<br>`Inev(REQ, ACK)`<br>in `service.aut` | ✓ satisfied |  |
	//
	// </details>
	//
	// Made from `nightly.yaml`. The jobs took 0.0 s in all.
}
