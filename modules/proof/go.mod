module github.com/inev-lts/inev/modules/proof

go 1.25.0

replace github.com/inev-lts/inev => ../../

require github.com/inev-lts/inev v0.0.0-00010101000000-000000000000

require (
	github.com/agnivade/levenshtein v1.2.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20250211171154-1ae217ad3535 // indirect
	github.com/klauspost/compress v1.18.0 // indirect
	github.com/klauspost/pgzip v1.2.6 // indirect
	gonum.org/v1/gonum v0.16.0 // indirect
	pgregory.net/rapid v1.2.0 // indirect
)
