package rddl_test

import (
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/rddl"
)

// Example parses an expression and prints it, with its parameter and with an object in its
// place.
func Example() {
	e, err := rddl.ParseExpr("goal", []byte("running(?c)^~ reboot( ?c )"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rddl.FormatExpr(e, nil))
	fmt.Println(rddl.FormatExpr(e, map[string]string{"c": "c1"}))
	// Output:
	// running(?c) ^ ~reboot(?c)
	// running(c1) ^ ~reboot(c1)
}

// ExampleParse shows how a fault is reported.
func ExampleParse() {
	_, err := rddl.Parse("lamp.rddl", []byte("domain lamp {\n  pvariables {\n    lit : { state-fluent, bool };\n"))
	fmt.Println(err)
	// Output:
	// lamp.rddl:4:1: found the end of the file, expected '}' to close the '{' at 2:14
}
