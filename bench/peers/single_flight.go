// single_flight THREADS distinct|hot CALLS: ns of a call of golang.org/x/sync/singleflight, as the
// goroutines see it.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const keys = 1024

func main() {
	threads, _ := strconv.Atoi(os.Args[1])
	hot := os.Args[2] == "hot"
	calls, _ := strconv.Atoi(os.Args[3])
	runtime.GOMAXPROCS(threads)
	var group singleflight.Group
	fn := func() (interface{}, error) { return 1, nil }
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for t := 0; t < threads; t++ {
		ready.Add(1)
		done.Add(1)
		go func(t int) {
			runtime.LockOSThread()
			names := make([]string, keys)
			for i := range names {
				names[i] = "product:" + strconv.Itoa(t*keys+i)
				if hot {
					names[i] = "product:0"
				}
			}
			ready.Done()
			<-start
			for i := 0; i < calls; i++ {
				group.Do(names[i%keys], fn)
			}
			done.Done()
		}(t)
	}
	ready.Wait()
	begun := time.Now()
	close(start)
	done.Wait()
	fmt.Println(float64(time.Since(begun).Nanoseconds()) / float64(calls))
}
