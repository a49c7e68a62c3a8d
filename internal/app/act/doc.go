// Package act implements the use case of learning by acting: in a system or a simulator of it, until a
// plan is proven optimal, with everything that was seen and concluded in a folder.
package act
