package highs

// The code inside calls back through its table of functions. Only WebAssembly
// can put a function there, so that a small module does: it imports the Go
// function and the table, and its one function appends the former to the latter.
//
//	(module
//	  (import "host" "callback" (func $callback (param i32 i32 i32 i32 i32)))
//	  (import "highs" "sc" (table 0 funcref))
//	  (export "callback" (func $callback)) ;; so that it may be referred to
//	  (func (export "install") (result i32)
//	    (table.grow 0 (ref.func $callback) (i32.const 1))))
//
// install returns the function's index in the table, -1 where it cannot grow.
func glue() []byte {
	module := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, body string) {
		module = append(append(module, id, byte(len(body))), body...) // all are short
	}
	name := func(s string) string { return string(rune(len(s))) + s }
	const i32, funcref = "\x7f", "\x70"
	section(1, "\x02"+
		"\x60\x05"+i32+i32+i32+i32+i32+"\x00"+
		"\x60\x00\x01"+i32)
	section(2, "\x02"+
		name(glueModule)+name("callback")+"\x00\x00"+
		name(moduleName)+name(exportTable)+"\x01"+funcref+"\x00\x00")
	section(3, "\x01\x01")
	section(7, "\x02"+name("callback")+"\x00\x00"+name("install")+"\x00\x01")
	code := "\x00" + // no locals
		"\xd2\x00" + // ref.func 0
		"\x41\x01" + // i32.const 1
		"\xfc\x0f\x00" + // table.grow 0
		"\x0b"
	section(10, "\x01"+name(code))
	return module
}

// Names of modules in the runtime, and of the table in the file.
const (
	glueModule  = "host"
	moduleName  = "highs"
	exportTable = "sc"
)
