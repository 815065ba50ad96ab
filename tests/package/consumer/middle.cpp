// A library between the application and the delegate.
int middle() { return 1; }
