import { inject } from 'vitest'
import { clientContract } from '../contracts/client.ts'

clientContract('Node', () => inject('api'))
