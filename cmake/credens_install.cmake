# filled in with the package test
