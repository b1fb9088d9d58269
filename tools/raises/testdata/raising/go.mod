module example.org/raising

go 1.25.0
