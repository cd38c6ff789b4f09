// Package strangers tries, as another user of the same machine, to reach what
// belongs to the user of the program: the data folder, exported runs, tokens,
// sockets, the server over HTTP, a virtual display. It holds only tests, which
// need root, for they play two users.
package strangers
