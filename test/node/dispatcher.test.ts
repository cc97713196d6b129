import { dispatcherContract } from '../contracts/dispatcher.ts'

dispatcherContract('Node, memory store')
