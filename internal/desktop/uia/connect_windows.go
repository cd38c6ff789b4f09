package uia

// Connect returns a client for the elements of the desktop.
func Connect(o Options) *Client {
	return newClient(o, named{"h", handles{}})
}
