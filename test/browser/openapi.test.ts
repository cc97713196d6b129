import { inject } from 'vitest'
import { openApiContract } from '../contracts/openapi.ts'

openApiContract('Chromium', () => inject('api'))
