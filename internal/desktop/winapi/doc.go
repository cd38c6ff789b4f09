// Package winapi calls functions of the libraries of Windows. Its main idea is that pointers
// among the arguments stay pointers until the call: what they point to is kept alive, and is
// not moved as the stack grows. Its limit is the call itself.
package winapi
